import { expect, it } from 'vitest'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores, type OpenFresh } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { create } from '../../events/change.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { type Ids, operatorPersona, systemIds } from '../../kernel/ids.ts'
import { findPersona, personas } from '../../org/personas/store.ts'
import type { GateView } from '../gates/contract.ts'
import type { CreateRun, Run } from '../runs/contract.ts'
import type { Decision } from './contract.ts'

const undoSeconds = 10

async function refused(promise: Promise<unknown>): Promise<AgencyError> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AgencyError)) throw new Error(`not refused: ${String(error)}`)
  return error
}

const gateOf = async (agency: TestAgency, run: Run, name = 'plan'): Promise<GateView> => {
  const found = (await agency.gates.ofRun(run.id)).gates.findLast(({ gate }) => gate === name)
  if (found === undefined) throw new Error(`no gate ${name}`)
  return found
}
const kindsOf = async (agency: TestAgency, run: Run): Promise<string[]> =>
  (await agency.events(run)).map(({ kind }) => kind)
const countOf = async (agency: TestAgency, run: Run, kind: string): Promise<number> =>
  (await kindsOf(agency, run)).filter((each) => each === kind).length

/** Starts a run that waits for approval of its plan. */
async function gated(openFresh: OpenFresh, input: Partial<CreateRun> = {}) {
  const agency = await startAgency(openFresh)
  const run = await agency.run({ planGate: true, ...input } as never)
  const gate = await agency.until(async () => (await gateOf(agency, run).catch(() => null)) ?? null)
  return { agency, run, gate }
}

const asking = [
  [
    {
      report: {
        status: 'blocked',
        summary: 'Which colour?',
        question: {
          text: 'Which colour?',
          context: '',
          options: [
            { key: 'blue', label: 'Blue', detail: '' },
            { key: 'red', label: 'Red', detail: '' },
          ],
          recommendation: 'blue',
          risk: 'low',
        },
      },
    },
  ],
  work,
]

/** Starts a run that waits for an answer. */
async function asked(openFresh: OpenFresh) {
  const agency = await startAgency(openFresh)
  const run = await agency.run({ play: asking as never, onLimit: 'ask' })
  const question = await agency.until(async () => (await agency.inspect(run)).questions[0])
  return { agency, run, question }
}

const addPerson = (agency: TestAgency, id: number, slug: string): Promise<unknown> =>
  agency.db.write(['system'], async (tx) => {
    const like = await findPersona(tx, operatorPersona)
    if (like === undefined) throw new Error('nobody to copy')
    const persona = { ...like, id, name: slug, slug, personaTypeId: 3 }
    return create(tx, personas, persona, { kind: 'org_changed', by: 'operator', message: `${slug} joins` })
  })

describeStores('a decision that takes effect later', (openFresh) => {
  it('changes nothing until its time, and then the same as an immediate one', async () => {
    const { agency, run, gate } = await gated(openFresh)
    const decided = await agency.decisions.approve(operator, { target: run.id, note: 'Go', undoSeconds })
    expect(decided).toMatchObject({
      id: gate.id,
      status: 'pending',
      decisions: [{ action: 'approve', text: 'Go', by: 'operator', status: 'waiting' }],
      confirmation: `✅ Approved — in effect in 10 s; "agency undo ${gate.id}" takes it back.`,
    })
    const [decision] = decided.decisions as [Decision]
    expect(Date.parse(decision.effectiveAt) - Date.parse(decision.decidedAt)).toBe(10_000)
    await agency.pass(9_999)
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'gated', gatesPending: 1 })
    expect(await gateOf(agency, run)).toMatchObject({ status: 'pending', decisions: [{ status: 'waiting' }] })
    await agency.pass(1)
    expect(await gateOf(agency, run)).toMatchObject({ status: 'approved', by: 'operator', note: 'Go' })
    expect(await gateOf(agency, run)).not.toHaveProperty('decisions')
    expect((await agency.settled(run)).status).toBe('done')
    const told = (await kindsOf(agency, run)).filter((kind) => /^(decision|gate)_/.test(kind))
    expect(told).toEqual(['gate_pending', 'decision_made', 'gate_approved', 'decision_applied'])
  })

  it('is taken back once, and the gate waits again', async () => {
    const { agency, run, gate } = await gated(openFresh)
    await agency.decisions.approve(operator, { target: gate.id, undoSeconds })
    expect(await agency.decisions.undo(operator, gate.id)).toMatchObject({
      target: gate.id,
      status: 'undone',
      confirmation: `Taken back — the approval of plan of ${run.id} has no effect; it waits for you again.`,
    })
    const second = await refused(agency.decisions.undo(operator, gate.id))
    expect(second).toMatchObject({ code: 'illegal_transition' })
    expect(second.message).toMatch(/^the approval of plan of run_\w+ was taken back at /)
    await agency.pass(60_000)
    expect(await gateOf(agency, run)).toMatchObject({ status: 'pending' })
    expect(await gateOf(agency, run)).not.toHaveProperty('decisions')
    expect(await countOf(agency, run, 'decision_undone')).toBe(1)
    await agency.decisions.reject(operator, { target: gate.id, reason: 'Smaller', undoSeconds })
    await agency.pass(10_000)
    expect(await gateOf(agency, run)).toMatchObject({ status: 'rejected', reason: 'Smaller' })
  })

  it('is found by its run, and by the beginning of the id of its gate', async () => {
    const { agency, run, gate } = await gated(openFresh)
    await agency.decisions.approve(operator, { target: gate.id, undoSeconds })
    expect((await agency.decisions.undo(operator, run.id.slice(0, 10))).status).toBe('undone')
    await agency.decisions.approve(operator, { target: gate.id, undoSeconds })
    expect((await agency.decisions.undo(operator, gate.id.slice(0, -1))).status).toBe('undone')
    expect(await refused(agency.decisions.undo(operator, 'run_zzzz'))).toMatchObject({ code: 'not_found' })
    expect(await refused(agency.decisions.undo(operator, 'gat_zzzz'))).toMatchObject({ code: 'not_found' })
  })

  it('is not found by a beginning that several gates share, though one decision alone waits', async () => {
    let gates = 0
    const next = ((kind) => (kind === 'gate' ? `gat_same${gates++}` : systemIds.next(kind))) as Ids['next']
    const agency = await startAgency(openFresh, { ids: { ...systemIds, next } })
    const first = await gateOf(agency, await agency.run({ planGate: true }))
    const second = await gateOf(agency, await agency.run({ planGate: true }))
    await agency.gates.approve(operator, { target: first.id })
    await agency.decisions.approve(operator, { target: second.id, undoSeconds })
    expect(await refused(agency.decisions.undo(operator, 'gat_'))).toMatchObject({ code: 'not_found' })
    expect(await refused(agency.decisions.undo(operator, 'gat_same'))).toMatchObject({
      code: 'invalid_input',
      message: '"gat_same" is the beginning of several gates',
    })
    expect((await agency.decisions.undo(operator, 'gat_same1')).target).toBe(second.id)
  })

  it('cannot be taken back after its effect, and the refusal names the next command', async () => {
    const { agency, run, gate } = await gated(openFresh, { play: [[{ hang: {} }]] } as never)
    await agency.decisions.approve(operator, { target: gate.id, undoSeconds })
    await agency.pass(10_000)
    const late = await refused(agency.decisions.undo(operator, gate.id))
    expect(late).toMatchObject({
      code: 'illegal_transition',
      hint: `"agency pause ${run.id}" holds the run, "agency cancel ${run.id}" ends it.`,
    })
    expect(late.message).toMatch(/took effect at/)
    const other = await agency.run({ planGate: true })
    const second = await gateOf(agency, other)
    await agency.gates.approve(operator, { target: second.id })
    expect((await refused(agency.decisions.undo(operator, second.id))).message).toMatch(/approved, in effect at once/)
  })

  it('takes effect at once with zero seconds', async () => {
    const { agency, run, gate } = await gated(openFresh)
    expect(await agency.decisions.approve(operator, { target: gate.id, undoSeconds: 0 })).toMatchObject({
      status: 'approved',
    })
    expect(await kindsOf(agency, run)).not.toContain('decision_made')
  })

  it('is refused at once if an immediate one would be, and nothing is stored', async () => {
    const { agency, run, gate } = await gated(openFresh)
    await agency.gates.pause(operator, run.id, undefined)
    const pause = await gateOf(agency, run, 'manual')
    const rejecting = agency.decisions.reject(operator, { target: pause.id, reason: 'No', undoSeconds })
    expect((await refused(rejecting)).message).toBe('a pause cannot be rejected')
    expect(await gateOf(agency, run, 'manual')).not.toHaveProperty('decisions')
    await agency.gates.approve(operator, { target: gate.id })
    const second = agency.decisions.approve(operator, { target: gate.id, undoSeconds })
    expect((await refused(second)).message).toMatch(/is approved already, by operator/)
    expect(await kindsOf(agency, run)).not.toContain('decision_made')
  })

  it('excludes every other decision about the gate, which is refused', async () => {
    const { agency, run, gate } = await gated(openFresh)
    const both = await Promise.allSettled([
      agency.decisions.approve(operator, { target: gate.id, undoSeconds }),
      agency.decisions.reject(operator, { target: gate.id, reason: 'No', undoSeconds }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const lost = both.find((each) => each.status === 'rejected')?.reason as AgencyError
    expect(lost).toMatchObject({ code: 'conflict', hint: `Take it back first: agency undo ${gate.id}` })
    for (const decide of [
      () => agency.gates.approve(operator, { target: gate.id }),
      () => agency.gates.reject(operator, { target: gate.id, reason: 'No' }),
    ])
      expect((await refused(decide())).message).toMatch(/^operator has (approved|rejected) gat_/)
    await agency.pass(10_000)
    expect(await countOf(agency, run, 'decision_made')).toBe(1)
    expect((await gateOf(agency, run)).status).toMatch(/approved|rejected/)
  })

  it('is one of several if several people must approve', async () => {
    const { agency, run, gate } = await gated(openFresh, { approvalsNeeded: 2 } as never)
    await addPerson(agency, 90, 'ada')
    await agency.decisions.approve(operator, { target: gate.id, undoSeconds })
    expect((await refused(agency.decisions.approve(operator, { target: gate.id, undoSeconds }))).code).toBe('conflict')
    const other = await agency.decisions.approve(operator, { target: gate.id, as: 'ada', undoSeconds: 20 })
    expect(other.decisions?.map(({ by }) => by)).toEqual(['operator', 'ada'])
    const several = await refused(agency.decisions.undo(operator, gate.id))
    expect(several.message).toMatch(/several decisions about gat_\w+ wait: dec_\w+ \(approved by operator\), dec_/)
    await agency.pass(10_000)
    expect(await gateOf(agency, run)).toMatchObject({ status: 'pending', approvals: [{ by: 'operator' }] })
    await agency.pass(10_000)
    expect(await gateOf(agency, run)).toMatchObject({ status: 'approved', by: 'ada' })
  })

  it('keeps a gate from expiring, until it is taken back', async () => {
    const { agency, run, gate } = await gated(openFresh, { gateTimeoutMinutes: 1 })
    await agency.pass(55_000)
    await agency.decisions.approve(operator, { target: gate.id, undoSeconds })
    await agency.pass(7_000)
    expect((await gateOf(agency, run)).status).toBe('pending')
    await agency.decisions.undo(operator, gate.id)
    await agency.pass(5_000)
    expect(await gateOf(agency, run)).toMatchObject({ status: 'expired', reason: 'timeout' })
    const late = await startAgency(openFresh)
    const other = await late.run({ planGate: true, gateTimeoutMinutes: 1 })
    await late.pass(55_000)
    await late.decisions.approve(operator, { target: other.id, undoSeconds })
    await late.pass(60_000)
    expect((await gateOf(late, other)).status).toBe('approved')
  })

  it('ends as refused with the reason if the run was cancelled meanwhile, and sends a notification', async () => {
    const { agency, run, gate } = await gated(openFresh)
    await agency.decisions.approve(operator, { target: gate.id, undoSeconds })
    await agency.runs.cancel(operator, run.id, 'Not needed')
    await agency.pass(10_000)
    const [decision] = (await gateOf(agency, run)).decisions ?? []
    expect(decision).toMatchObject({ status: 'refused' })
    expect(decision?.reason).toMatch(/is expired already, by operator/)
    expect(agency.notices.filter(({ object }) => object === decision?.id)).toMatchObject([
      { title: `Your approval of plan of ${run.id} did not take effect`, state: 'refused' },
    ])
    expect((await agency.events(run)).findLast(({ kind }) => kind === 'decision_refused')?.message).toMatch(
      /^✗ The approval of plan of run_\w+ did not take effect: gate /,
    )
    expect((await refused(agency.decisions.undo(operator, gate.id))).message).toMatch(/did not take effect/)
  })

  it('takes effect during a stop of all launches and in a paused run, as an immediate one does', async () => {
    const { agency, run, gate } = await gated(openFresh)
    await agency.decisions.approve(operator, { target: gate.id, undoSeconds })
    await agency.stops.set(operator, undefined, 'Wait')
    await agency.gates.pause(operator, run.id, undefined)
    await agency.pass(10_000)
    expect((await gateOf(agency, run)).status).toBe('approved')
    expect((await agency.runs.show(run.id)).status).toBe('paused')
  })

  it('about a question is the answer at its time, and can be taken back', async () => {
    const { agency, run, question } = await asked(openFresh)
    expect(await agency.decisions.answer(operator, question.id, 'blue', undoSeconds)).toMatchObject({
      answeredAt: null,
      decisions: [{ action: 'answer', text: 'blue', status: 'waiting' }],
    })
    expect((await refused(agency.questions.answer(operator, question.id, 'red'))).code).toBe('conflict')
    await agency.decisions.undo(operator, question.id)
    await agency.pass(10_000)
    expect((await agency.questions.show(operator, question.id)).answeredAt).toBeNull()
    await agency.decisions.answer(operator, question.id, 'red', undoSeconds)
    await agency.pass(10_000)
    expect(await agency.questions.show(operator, question.id)).toMatchObject({ answer: 'red', answeredBy: 'operator' })
    expect((await agency.settled(run)).status).toBe('done')
  })

  it('about a question keeps its reminder back, until it is taken back', async () => {
    const { agency, question } = await asked(openFresh)
    const reminders = () => agency.notices.filter(({ object, state }) => object === question.id && state === 'reminded')
    await agency.pass(60 * 60_000 - 5_000)
    await agency.decisions.answer(operator, question.id, 'blue', undoSeconds)
    await agency.pass(7_000)
    expect(reminders()).toEqual([])
    await agency.decisions.undo(operator, question.id)
    await agency.pass(5_000)
    expect(reminders()).toHaveLength(1)
  })

  it('survives the death of the daemon: it can be taken back, and an overdue one takes effect', async () => {
    const before = await startAgency(openFresh, {
      chaosPoint: (point) => point === 'decision.made' && armed && before.die(),
    })
    let armed = false
    const kept = await before.run({ planGate: true })
    const undone = await before.run({ planGate: true })
    const gate = await gateOf(before, undone)
    await before.decisions.approve(operator, { target: undone.id, undoSeconds: 60 })
    armed = true
    void before.decisions.approve(operator, { target: kept.id, undoSeconds })
    await before.passed('decision.made', 2)
    const after = await openAgency({
      db: before.store.db,
      clock: before.clock,
      workspaces: before.workspaces,
      worker: 'test:2',
    })
    expect(await gateOf(after, undone)).toMatchObject({ decisions: [{ status: 'waiting' }] })
    before.clock.advance(30_000)
    await after.engine.start()
    await after.decisions.undo(operator, gate.id)
    expect((await after.settled(kept)).status).toBe('done')
    await after.pass(60_000)
    expect((await gateOf(after, undone)).status).toBe('pending')
    expect(await countOf(after, kept, 'decision_applied')).toBe(1)
  })

  it('gives a repeated request the answer of the first one, before and after its effect', async () => {
    const { agency, run, gate } = await gated(openFresh)
    const ask = () =>
      agency.db.once('key', 'digest', () => agency.decisions.approve(operator, { target: gate.id, undoSeconds }))
    const first = await ask()
    expect((await ask()).decisions).toEqual(first.decisions)
    await agency.pass(10_000)
    expect(await ask()).toMatchObject({ id: gate.id, status: 'approved' })
    expect(await countOf(agency, run, 'decision_made')).toBe(1)
  })

  it('takes effect once if its wake-up comes twice', async () => {
    const { agency, run, gate } = await gated(openFresh)
    const { decisions = [] } = await agency.decisions.approve(operator, { target: gate.id, undoSeconds })
    const { id } = decisions[0] as Decision
    await Promise.all([agency.decisions.apply(id, false), agency.decisions.apply(id, false)])
    expect(await countOf(agency, run, 'gate_approved')).toBe(1)
    expect(await countOf(agency, run, 'decision_applied')).toBe(1)
    expect(await countOf(agency, run, 'decision_refused')).toBe(0)
  })

  it('ends in one way if its wake-up and an undo come at the same moment', async () => {
    const { agency, run, gate } = await gated(openFresh)
    const { decisions = [] } = await agency.decisions.approve(operator, { target: gate.id, undoSeconds })
    const { id } = decisions[0] as Decision
    const [, undo] = await Promise.allSettled([
      agency.decisions.apply(id, false),
      agency.decisions.undo(operator, gate.id),
    ])
    const isUndone = undo.status === 'fulfilled'
    expect((await gateOf(agency, run)).status).toBe(isUndone ? 'pending' : 'approved')
    expect(await countOf(agency, run, 'decision_undone')).toBe(isUndone ? 1 : 0)
    expect(await countOf(agency, run, 'decision_applied')).toBe(isUndone ? 0 : 1)
    expect(await countOf(agency, run, 'decision_refused')).toBe(0)
  })
})
