import { expect, it } from 'vitest'

import { openAgency, type TestAgency } from '../../../test/support/agency.ts'
import { changeRun } from '../../../test/support/change-run.ts'
import { describeStores } from '../../../test/support/store.ts'
import type { Run } from '../runs/contract.ts'
import { cancelBrief } from './cancel.ts'
import type { Brief } from './contract.ts'
import { failBrief, moveBrief } from './moves.ts'
import { findBriefByKey } from './store.ts'

const briefs = [
  { key: 'first', objective: 'Do it' },
  { key: 'ended', objective: 'Do it', after: ['first'] },
  { key: 'waiting', objective: 'Do it', after: ['first'] },
]

/** Changes a brief of the run as the engine does. */
const change = (
  agency: TestAgency,
  run: Run,
  key: string,
  act: (...args: Parameters<typeof failBrief>) => Promise<unknown>,
) =>
  changeRun(agency, run, async (scope) => {
    const brief = (await findBriefByKey(scope.tx, run.id, key)) as Brief
    await act(scope, brief, 'for the test')
  })

describeStores('a brief that fails', (openFresh) => {
  it('holds the dependents that wait, and none that has ended', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const run = await agency.run({ briefs, onLimit: 'ask' })
    const { id } = await agency.brief(run, 'first')
    await change(agency, run, 'ended', cancelBrief)
    await change(agency, run, 'first', (scope, brief) =>
      moveBrief(scope, brief, 'assigned', { kind: 'assigned', message: 'assigned' }),
    )
    await change(agency, run, 'first', failBrief)
    expect(await agency.brief(run, 'waiting')).toMatchObject({
      status: 'pending',
      holdCount: 1,
      heldBy: `dependency_failed:${id}`,
    })
    expect(await agency.brief(run, 'ended')).toMatchObject({ status: 'cancelled', holdCount: 0, holds: [] })
  })
})
