import { expect, it } from 'vitest'

import { openAgency } from '../../test/support/agency.ts'
import { operator } from '../../test/support/work.ts'

it('goes from a goal to an accepted result, and nobody below T1 starts before its plan is approved', async () => {
  const agency = await openAgency()
  await agency.engine.start()
  const run = await agency.run({ goal: 'Build a webhook ingestion system', playbook: 'tiered', runtimeOptions: {} })
  const gate = await agency.until(async () => (await agency.gates.ofRun(run.id)).gates[0])
  expect(gate).toMatchObject({ gate: 't1_plan', status: 'pending' })
  const tiersOf = async () => new Set((await agency.inspect(run)).briefs.map((brief) => brief.tier))
  expect([...(await tiersOf())]).toEqual(['t1'])
  await agency.gates.approve(operator, { target: gate.id })
  expect((await agency.settled(run)).status).toBe('done')
  expect([...(await tiersOf())].toSorted()).toEqual(['t1', 't3', 't4', 't5'])
  const { verdicts, briefs } = await agency.inspect(run)
  const work = briefs.filter((brief) => brief.tier === 't4')
  expect(work.map((brief) => brief.status)).toEqual(work.map(() => 'done'))
  for (const brief of work)
    expect(verdicts).toContainEqual(
      expect.objectContaining({ briefId: brief.id, attempt: brief.attempts, verdict: 'pass' }),
    )
})
