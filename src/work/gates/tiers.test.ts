import { expect, it } from 'vitest'
import { z } from 'zod'

import { openAgency, startAgency, type TestAgency } from '../../../test/support/agency.ts'
import { changeRun } from '../../../test/support/change-run.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import { addBriefs } from '../briefs/add.ts'
import { type NewGate, openGate, passGate } from './open.ts'
import type { Run } from '../runs/contract.ts'
import type { GateRow } from './contract.ts'
import { gateFile } from './projection.ts'

const summary = { produced: 'Nothing agreed', next: 'Fresh squads', anomalies: [] }
const ofTier: NewGate = { gate: 't3_mesh_timeout', approver: 't2/api', boundary: 'part:mesh:1', summary }
const open = (agency: TestAgency, run: Run, gate: NewGate): Promise<GateRow> =>
  changeRun(agency, run, (scope) => openGate(scope, gate))

describeStores('a gate that a tier decides', (openFresh) => {
  it('halts nothing, appears in no list and no file, and sends no notification', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[{ hang: {} }]] })
    const gate = await open(agency, run, ofTier)
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'running', heldBy: null })
    expect(await agency.gates.list('pending', 10)).toEqual({ gates: [], total: 0 })
    expect((await agency.gates.ofRun(run.id)).gates).toMatchObject([{ id: gate.id, approver: 't2/api' }])
    expect(await agency.gates.reply(operator, { text: 'approve' })).toEqual({
      text: 'No gate waits for a decision.',
      done: false,
    })
    expect(JSON.parse(await agency.db.read(gateFile('unused').render))).toEqual({ gates: [] })
    expect(agency.notices).toEqual([])
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('cannot be decided by the operator: the refusal names its approver', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[{ hang: {} }]] })
    const gate = await open(agency, run, ofTier)
    const forbidden = {
      code: 'forbidden',
      message: `gate ${gate.id} (t3_mesh_timeout) is for t2/api to decide, not for the operator`,
    }
    await expect(agency.gates.approve(operator, { target: gate.id })).rejects.toMatchObject(forbidden)
    await expect(agency.gates.reject(operator, { target: gate.id, reason: 'No' })).rejects.toMatchObject(forbidden)
    await expect(agency.gates.approve(operator, { target: run.id })).rejects.toMatchObject({
      code: 'not_found',
      message: 'no pending gate; pending: none',
      hint: `${gate.id} (t3_mesh_timeout of ${run.id}) is decided by t2/api.`,
    })
    expect((await agency.gates.ofRun(run.id)).gates).toMatchObject([{ status: 'pending' }])
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('leaves the operator’s own gate the only candidate of the run, and is decided by its tier', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ planGate: true })
    await open(agency, run, ofTier)
    await changeRun(agency, run, (scope) => passGate(scope, 't3_mesh_timeout', 'mesh:1', 't2/api'))
    await open(agency, run, ofTier)
    expect(await agency.gates.approve(operator, { target: run.id })).toMatchObject({ gate: 'plan', status: 'approved' })
    await agency.settled(run)
    expect((await agency.gates.ofRun(run.id)).gates).toMatchObject([
      { gate: 'plan', status: 'approved', by: 'operator' },
      { gate: 't3_mesh_timeout', status: 'approved', by: 't2/api' },
      { gate: 't3_mesh_timeout', status: 'expired' },
    ])
  })
})

it('several gates of one kind are distinguished by their part', async () => {
  const agency = await openAgency()
  const run = await agency.run()
  const squad = await open(agency, run, { gate: 't5_verdict', boundary: 'part:sq:api/core', summary })
  const mesh = await open(agency, run, { gate: 't3_plan', boundary: 'part:mesh:1:t2:docs', summary })
  await expect(agency.gates.approve(operator, { target: run.id })).rejects.toMatchObject({
    code: 'conflict',
    message: `${run.id} has several pending gates: ${squad.id} (t5_verdict of api/core), ${mesh.id} (t3_plan of docs)`,
    hint: `Name the gate instead of the run: agency approve ${squad.id}`,
  })
})

it('the approval of a gate of a tiered run names the next tier', async () => {
  const stepwise: Playbook = { ...direct, briefData: z.object({ personality: z.null().optional() }) }
  const agency = await openAgency({ playbooks: [stepwise] })
  const run = await agency.run({ planGate: true })
  const step = {
    kind: 'plan',
    title: 'Plan',
    objective: 'Plan it',
    part: 'run',
    retryBudget: 1,
    phase: 't3_plan',
    capKey: 't3',
    cast: { tier: 't3', domain: null, wanted: null },
    data: {},
  } as const
  await changeRun(agency, run, (scope) =>
    addBriefs({ ...scope, playbook: stepwise }, [
      { ...step, key: 'b' },
      { ...step, key: 'a' },
    ]),
  )
  await open(agency, run, { gate: 't2_synthesis', boundary: 'part:wave:1', summary })
  expect((await agency.gates.approve(operator, { target: run.id, gate: 'plan' })).confirmation).toBe(
    '✅ Approved — the run waits for the next gate: t2_synthesis.',
  )
  expect((await agency.gates.approve(operator, { target: run.id })).confirmation).toBe('✅ Approved — T3 spawning now.')
})
