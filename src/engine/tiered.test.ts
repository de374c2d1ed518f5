import { expect, it } from 'vitest'

import { openAgency, work } from '../../test/support/agency.ts'
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
  const tasks = briefs.filter((brief) => brief.tier === 't4')
  expect(tasks.map((brief) => brief.status)).toEqual(tasks.map(() => 'done'))
  for (const brief of tasks)
    expect(verdicts).toContainEqual(
      expect.objectContaining({ briefId: brief.id, attempt: brief.attempts, verdict: 'pass' }),
    )
})

it('has work judged as its team says, not as it was done', async () => {
  const agency = await openAgency()
  await agency.engine.start()
  const verdict = { verdict: 'pass', checked: ['everything'] }
  const judge = {
    scenario: { attempts: [work], verify: [[{ report: { status: 'done', summary: 'Good.', verdict } }]] },
  }
  const team = JSON.stringify({ runtime: { coding_agent: 'scripted' }, tiers: { t5: { options: judge } } })
  const run = await agency.run({ playbook: 'tiered', runtimeOptions: {}, team })
  const gate = await agency.until(async () => (await agency.gates.ofRun(run.id)).gates[0])
  await agency.gates.approve(operator, { target: gate.id })
  const verifiers = await agency.until(async () => {
    const found = (await agency.inspect(run)).briefs.filter(({ tier }) => tier === 't5')
    return found.length > 0 && found
  })
  expect(verifiers[0]).toMatchObject({ runtime: 'scripted', runtimeOptions: judge })
})
