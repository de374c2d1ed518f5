import { expect, it } from 'vitest'

import { startAgency } from '../../../test/support/agency.ts'
import { changeRun } from '../../../test/support/change-run.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { sqlOf } from '../../db/tx.ts'
import { record, inserted } from '../../events/change.ts'
import { artifacts } from './store.ts'
import { writeAuthored } from './write.ts'

const hang = { scenario: { steps: [{ hang: {} }] } }

describeStores('a document', (openFresh) => {
  it('may have an author instead of an attempt, and versions of both in one series', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ runtimeOptions: hang })
    for (const [author, text] of [
      ['operator', 'first'],
      ['seat:7', 'with a secret: sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
    ] as const)
      await changeRun(agency, run, (scope) => writeAuthored(scope, author, 'outline', { text }))
    const { artifacts: written, documents } = await agency.inspect(run)
    expect(written).toMatchObject([
      { name: 'outline', version: 1, author: 'operator', briefId: null, attemptId: null },
      { name: 'outline', version: 2, author: 'seat:7', briefId: null, attemptId: null },
    ])
    expect(JSON.stringify(documents['outline'])).toMatch(/^\{"text":"with a secret: .*\[redacted/i)
    expect((await agency.events(run)).filter(({ kind }) => kind === 'artifact_written')).toMatchObject([
      { briefId: null, data: { author: 'operator' } },
      { briefId: null, message: expect.stringMatching(/version 2, by seat:7$/) as string },
    ])
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('has either an author or an attempt, which the store guarantees', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ runtimeOptions: hang })
    const nobody = changeRun(agency, run, async (scope) => {
      const written = await writeAuthored(scope, 'operator', 'outline', {})
      await record(scope.tx, { kind: 'log', by: 'engine', runId: run.id, message: 'a document without an author' }, [
        inserted(artifacts, { ...written, id: 'art_2', version: 2, author: null }),
      ])
      await sqlOf(scope.tx).all('SELECT 1')
    })
    await expect(nobody).rejects.toThrow(/constraint/i)
    expect((await agency.inspect(run)).artifacts).toEqual([])
    await agency.runs.cancel(operator, run.id, undefined)
  })
})
