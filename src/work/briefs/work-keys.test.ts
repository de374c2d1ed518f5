import { expect, it } from 'vitest'

import { opened, startAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { listWorkKeys } from './store.ts'

describeStores('the keys of finished work', (openFresh) => {
  it('are those of tasks, without verifiers and cancelled tasks, and bounded', async () => {
    const agency = await startAgency(openFresh)
    const verify = [
      [{ report: { status: 'done', summary: 'Fine.', verdict: { verdict: 'pass', checked: opened('result.md') } } }],
    ]
    const briefs = ['a', 'b', 'c', 'd'].map((key) => ({ key, objective: 'Do it', after: key === 'd' ? ['c'] : [] }))
    const run = await agency.run({
      briefs,
      planGate: true,
      verify: 'all',
      runtimeOptions: { scenario: { attempts: [work], verify } },
    } as never)
    await agency.briefs.update(operator, (await agency.brief(run, 'b')).id, 'cancelled', undefined)
    await agency.gates.approve(operator, { target: run.id })
    await agency.settled(run)
    const keys = (most: number) => agency.db.read((tx) => listWorkKeys(tx, run.id, most))
    expect(await keys(10)).toEqual(['a', 'c', 'd'])
    expect(await keys(2)).toEqual(['a', 'c'])
  })
})
