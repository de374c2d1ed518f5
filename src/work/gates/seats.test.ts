import { expect, it } from 'vitest'

import { agentOf, type StartRun, work } from '../../../test/support/agency.ts'
import { changeRun } from '../../../test/support/change-run.ts'
import { openOrg, type TestOrg } from '../../../test/support/org.ts'
import { makeSeat, type Seated } from '../../../test/support/seats.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { AgentActor } from '../../kernel/actor.ts'
import type { PersonaId } from '../../kernel/ids.ts'
import type { Run } from '../runs/contract.ts'
import type { GateRow } from './contract.ts'
import { type NewGate, openGate } from './open.ts'

const summary = { produced: 'A design', next: 'It is built', anomalies: [] }
const waits = [[{ log: 'gate seat' }, ...work]]

/** Starts a run of a seat, and returns its agent, which waits at the point "seat". */
async function agentOn(
  { agency }: TestOrg,
  { personaId }: Seated,
  persona: string,
  input: StartRun = {},
): Promise<[AgentActor, Run]> {
  const run = await agency.run({ play: waits, briefs: [{ key: 'own', objective: 'Wait', persona }], ...input })
  const attempt = await agency.until(async () =>
    (await agency.inspect(run)).attempts.find(({ status }) => status === 'running'),
  )
  return [{ ...agentOf(attempt), personaId: personaId as PersonaId }, run]
}

interface Stage {
  readonly org: TestOrg
  readonly seat: Seated
  readonly lead: AgentActor
  /** The run of the lead's own brief, and another one with the gate. */
  readonly own: Run
  readonly run: Run
}

async function openStage(openFresh: Parameters<typeof openOrg>[0]): Promise<Stage> {
  const org = await openOrg(openFresh)
  const seat = await makeSeat(org, 'Robbo')
  const [lead, own] = await agentOn(org, seat, 'robbo')
  const run = await org.agency.run({ play: waits })
  return { org, seat, lead, own, run }
}

const open = ({ org, run, seat }: Stage, gate: Partial<NewGate> = {}, of: Run = run): Promise<GateRow> =>
  changeRun(org.agency, of, (scope) =>
    openGate(scope, { gate: 'design', approver: `seat:${seat.positionId}`, boundary: 'part:design', summary, ...gate }),
  )
const statusOf = async ({ org, run }: Stage) => (await org.agency.gates.ofRun(run.id)).gates.map(({ status }) => status)

describeStores('a gate that a seat decides', (openFresh) => {
  it('halts nothing, and is approved by the agent on the seat', async () => {
    const stage = await openStage(openFresh)
    const { agency } = stage.org
    const gate = await open(stage)
    expect(await agency.runs.show(stage.run.id)).toMatchObject({ status: 'running', heldBy: null })
    expect(await agency.gates.approve(stage.lead, { target: gate.id, note: 'Fine' })).toMatchObject({
      status: 'approved',
      by: 'qa-robbo-3',
      note: 'Fine',
    })
    const events = (await agency.events(stage.run)).filter(({ kind }) => kind === 'gate_approved')
    expect(events).toMatchObject([{ by: `agent:${stage.lead.agentId}`, data: { gate_id: gate.id } }])
  })

  it('is rejected by the agent on the seat, and decided once', async () => {
    const stage = await openStage(openFresh)
    const { gates } = stage.org.agency
    const gate = await open(stage)
    const decided = await Promise.allSettled([
      gates.reject(stage.lead, { target: gate.id, reason: 'Too large' }),
      gates.approve(stage.lead, { target: gate.id }),
      gates.approve(operator, { target: gate.id }),
    ])
    expect(decided.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const again = gates.approve(stage.lead, { target: gate.id })
    await expect(again).rejects.toMatchObject({ code: 'illegal_transition' })
  })

  it('is in the list of the operator, and may be decided there', async () => {
    const stage = await openStage(openFresh)
    const { gates } = stage.org.agency
    const gate = await open(stage)
    expect(await gates.list('pending', 10)).toMatchObject({ gates: [{ id: gate.id }], total: 1 })
    expect(await gates.approve(operator, { target: stage.run.id })).toMatchObject({ id: gate.id, by: 'operator' })
  })

  it('is the operator’s if the seat is vacant', async () => {
    const stage = await openStage(openFresh)
    await stage.org.assignments.unassign(operator, stage.seat.positionId)
    const gate = await open(stage)
    expect(gate.approver).toBe('operator')
    const heldBy = `gate:${gate.id}`
    expect(await stage.org.agency.runs.show(stage.run.id)).toMatchObject({ status: 'gated', heldBy })
    await stage.org.agency.gates.approve(operator, { target: stage.run.id })
  })
})

describeStores('the limits of the authority over a gate', (openFresh) => {
  const expectRefusal = async (stage: Stage, gate: GateRow, by: AgentActor, expected: object): Promise<void> => {
    const { gates } = stage.org.agency
    await expect(gates.approve(by, { target: gate.id })).rejects.toMatchObject(expected)
    await expect(gates.reject(by, { target: gate.id, reason: 'No' })).rejects.toMatchObject(expected)
    const found = (await gates.ofRun(gate.runId)).gates.find(({ id }) => id === gate.id)
    expect(found).toMatchObject({ status: 'pending' })
  }
  const forbidden = (message: string) => ({ code: 'forbidden', message: expect.stringContaining(message) as string })

  it('refuses the gate of a brief of the same persona, and of a run in which it works', async () => {
    const stage = await openStage(openFresh)
    const own = forbidden('is about work of its own')
    await expectRefusal(
      stage,
      await open(stage, { boundary: `brief:${stage.lead.briefId}` }, stage.own),
      stage.lead,
      own,
    )
    await expectRefusal(stage, await open(stage, {}, stage.own), stage.lead, own)
    await expectRefusal(stage, await open(stage, { boundary: 'run' }, stage.own), stage.lead, own)
  })

  it('refuses gates that name the operator, a tier, another seat or none', async () => {
    const stage = await openStage(openFresh)
    const ada = await makeSeat(stage.org, 'Ada')
    const [other] = await agentOn(stage.org, ada, 'ada')
    for (const approver of ['operator', `seat:${stage.seat.positionId}`, 't2/api', 'seat:0', 'seat:', 'seat:1e3'])
      await expectRefusal(stage, await open(stage, { approver, boundary: `part:${approver}` }), other, {
        code: 'not_found',
      })
    await stage.org.agency.runs.cancel(operator, stage.run.id, undefined)
  })

  it('refuses the seat of another organisation', async () => {
    const stage = await openStage(openFresh)
    const { organisationId } = await stage.org.organisations.create(operator, {
      name: 'Rival',
      purpose: 'Other',
      description: '',
    })
    const eve = await makeSeat(stage.org, 'Eve', 'Rival')
    const [stranger] = await agentOn(stage.org, eve, 'eve', { organisationId })
    await expectRefusal(stage, await open(stage), stranger, { code: 'not_found' })
    // A seat of another organisation is none of this one, so that the gate is the operator's.
    const foreign = await open(stage, { approver: `seat:${eve.positionId}`, boundary: 'part:foreign' })
    expect(foreign.approver).toBe('operator')
    await expectRefusal(stage, foreign, stranger, { code: 'not_found' })
    await stage.org.agency.runs.cancel(operator, stage.run.id, undefined)
  })

  it.for(['manual', 'merge', 'acceptance', 'escalation'])('leaves the gate "%s" to the operator', async (name) => {
    const stage = await openStage(openFresh)
    const gate = await open(stage, { gate: name, boundary: `part:${name}` })
    await expectRefusal(stage, gate, stage.lead, forbidden(`of the kind "${name}" is only the operator’s to decide`))
    await stage.org.agency.runs.cancel(operator, stage.run.id, undefined)
  })

  it('refuses the name of a run, an unknown gate, and a decision as another person', async () => {
    const stage = await openStage(openFresh)
    const gate = await open(stage)
    const { gates } = stage.org.agency
    for (const target of [stage.run.id, 'gat_unknown', gate.id.slice(0, -1)])
      await expect(gates.approve(stage.lead, { target })).rejects.toMatchObject({
        code: 'not_found',
        message: `no gate "${target}"`,
      })
    await expect(gates.approve(stage.lead, { target: gate.id, as: 'operator' })).rejects.toMatchObject(
      forbidden('for its own seat'),
    )
    expect(await statusOf(stage)).toEqual(['pending'])
  })

  it('refuses an agent after its persona has left the seat, and an attempt that has ended', async () => {
    const stage = await openStage(openFresh)
    const gate = await open(stage)
    await stage.org.assignments.unassign(operator, stage.seat.positionId)
    await expectRefusal(stage, gate, stage.lead, forbidden('its persona has left'))
    await stage.org.assignments.assign(operator, stage.seat.positionId, 'robbo', false)
    await stage.org.agency.runs.cancel(operator, stage.own.id, undefined)
    await expectRefusal(stage, gate, stage.lead, { code: 'stale_fence' })
  })
})
