import { expect, it } from 'vitest'

import { openAgency } from '../../../test/support/agency.ts'
import { operator } from '../../../test/support/work.ts'

it('an architect added to an active run makes the squads wait for the design and informs the tier above', async () => {
  const agency = await openAgency()
  await agency.engine.start()
  const run = await agency.run({ goal: 'Build a webhook ingestion system', playbook: 'tiered', runtimeOptions: {} })
  const gate = await agency.until(async () => (await agency.gates.ofRun(run.id)).gates[0])
  // The workstream does not start before the amendment is recorded.
  await agency.gates.pause(operator, run.id, undefined)
  await agency.gates.approve(operator, { target: gate.id })
  const { parts } = await agency.inspect(run)
  const workstream = parts.find(({ key }) => key.startsWith('ws:'))?.key.slice('ws:'.length) ?? ''
  const amendment = await agency.amendments.amend(operator, {
    runId: run.id,
    workstream,
    addTiers: ['t2'],
    removeTiers: [],
    insertBefore: 't3',
    reason: 'Two services meet here',
  })
  await agency.until(async () => (await agency.inspect(run)).briefs.some(({ phase }) => phase === 't2_specialist'))
  const leads = (await agency.inspect(run)).briefs.filter(
    ({ phase, groupKey: of }) => phase === 't3_plan' && of === workstream,
  )
  expect(leads).toMatchObject([{ status: 'pending', unmetDependencies: 1 }])
  const told = (await agency.events(run)).filter(({ code, level }) => code === 'AMEND' && level === 'normal')
  expect(told).toMatchObject([
    { kind: 'path_amendment', data: { amendment_id: amendment.id } },
    { kind: 'amendment_ack', by: `t2/${workstream}` },
  ])
  expect((await agency.inspect(run)).amendments).toMatchObject([{ acknowledgedBy: `t2/${workstream}` }])
  await agency.gates.resume(operator, run.id)
  expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  const { briefs } = await agency.inspect(run)
  expect(briefs.filter(({ capKey: tier }) => tier === 't2').map(({ status }) => status)).toEqual(['done'])
})
