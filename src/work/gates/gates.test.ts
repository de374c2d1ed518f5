import { expect, it } from 'vitest'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores, type OpenFresh } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { create } from '../../events/change.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { operatorPersona } from '../../kernel/ids.ts'
import { findPersona, personas } from '../../org/personas/store.ts'
import type { CreateRun, Run } from '../runs/contract.ts'
import type { DecidedGate, GateView } from './contract.ts'

const minute = 60_000
const approve = (agency: TestAgency, target: string, more: { note?: string; as?: string } = {}): Promise<DecidedGate> =>
  agency.gates.approve(operator, { target, ...more })
const reject = (agency: TestAgency, target: string, reason = 'Not yet', as?: string): Promise<DecidedGate> =>
  agency.gates.reject(operator, { target, reason, as })

const gatesOf = async (agency: TestAgency, run: Run): Promise<GateView[]> => (await agency.gates.ofRun(run.id)).gates
const pending = (agency: TestAgency, run: Run, name: string): Promise<GateView> =>
  agency.until(async () => (await gatesOf(agency, run)).find((gate) => gate.gate === name && gate.status === 'pending'))
const kinds = async (agency: TestAgency, run: Run): Promise<string[]> =>
  (await agency.events(run)).map((event) => event.kind)
const lastPrompt = async (agency: TestAgency, run: Run, key = 'main'): Promise<string> =>
  agency.prompts.get((await agency.brief(run, key)).attemptId ?? '') ?? ''

const brief = (key: string, after: string[] = [], steps: readonly StepInput[] = work) => ({
  key,
  objective: `Do ${key}`,
  after,
  runtimeOptions: { scenario: { attempts: [steps] } },
})
const waits = (gate: string): StepInput[] => [{ log: `gate ${gate}` }, ...work]

async function refused(promise: Promise<unknown>): Promise<AgencyError> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AgencyError)) throw new Error(`not refused: ${String(error)}`)
  return error
}

/** Starts a run that waits for approval of its plan. */
async function gated(
  openFresh: OpenFresh,
  input: Partial<CreateRun> = {},
): Promise<{ agency: Awaited<ReturnType<typeof startAgency>>; run: Run; gate: GateView }> {
  const agency = await startAgency(openFresh)
  const run = await agency.run({ planGate: true, ...input } as never)
  return { agency, run, gate: await pending(agency, run, 'plan') }
}

/** Types 3 and 4 are people. */
const addPersona = (agency: TestAgency, id: number, slug: string, personaTypeId = 3): Promise<unknown> =>
  agency.db.write(['system'], async (tx) => {
    const like = await findPersona(tx, operatorPersona)
    if (like === undefined) throw new Error('nobody to copy')
    const persona = { ...like, id, name: slug, slug, personaTypeId }
    return create(tx, personas, persona, { kind: 'org_changed', by: 'operator', message: `${slug} joins` })
  })

describeStores('a plan gate', (openFresh) => {
  it('holds every brief until it is approved, and announces the next step', async () => {
    const { agency, run, gate } = await gated(openFresh, {
      briefs: [brief('a'), brief('b'), brief('c', ['a'])] as never,
    })
    await agency.engine.sweep()
    expect(await agency.runs.show(run.id)).toMatchObject({
      status: 'gated',
      heldBy: `gate:${gate.id}`,
      gatesPending: 1,
    })
    for (const key of ['a', 'b', 'c']) {
      const { id } = await agency.brief(run, key)
      expect(await agency.briefs.show(operator, id)).toMatchObject({ status: 'pending', heldBy: `gate:${gate.id}` })
    }
    expect(await approve(agency, run.id, { note: 'Go' })).toMatchObject({
      id: gate.id,
      status: 'approved',
      note: 'Go',
      by: 'operator',
      confirmation: '✅ Approved — 2 briefs start now.',
    })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', gatesPending: 0, heldBy: null })
    const told = await kinds(agency, run)
    expect(told.indexOf('spawned')).toBeGreaterThan(told.indexOf('gate_approved'))
    expect(told.indexOf('gate_approved')).toBeGreaterThan(told.indexOf('gate_pending'))
  })

  it('is shown under these names and no others', async () => {
    const { agency, run } = await gated(openFresh)
    const [gate] = await gatesOf(agency, run)
    expect(Object.keys(gate ?? {}).sort()).toEqual(
      [
        'id',
        'runId',
        'gate',
        'approver',
        'boundary',
        'summary',
        'pendingSince',
        'timeoutMinutes',
        'status',
        'note',
        'reason',
        'by',
      ].sort(),
    )
    expect(gate).toMatchObject({ gate: 'plan', approver: 'operator', timeoutMinutes: null, status: 'pending' })
    expect(Object.keys(gate?.summary ?? {})).toEqual(['produced', 'next', 'anomalies'])
  })

  it('is listed with those of all runs, oldest first', async () => {
    const { agency, gate } = await gated(openFresh)
    agency.clock.advance(10)
    const second = await agency.run({ planGate: true })
    const listed = await agency.gates.list('pending', 1)
    expect(listed).toMatchObject({ gates: [{ id: gate.id }], total: 2 })
    await approve(agency, second.id)
    expect(await agency.gates.list('approved', 10)).toMatchObject({ gates: [{ runId: second.id }], total: 1 })
  })

  it('ends a run without a planner when its plan is rejected', async () => {
    const { agency, run } = await gated(openFresh)
    expect(await reject(agency, run.id, 'Too much')).toMatchObject({
      status: 'rejected',
      reason: 'Too much',
      by: 'operator',
      confirmation: '❌ Rejected — the run is cancelled.',
    })
    expect(await agency.settled(run)).toMatchObject({ status: 'cancelled', summary: 'the plan was rejected: Too much' })
  })

  it('sends one notification, and one reminder after an hour', async () => {
    const { agency, gate } = await gated(openFresh)
    expect(agency.notices).toMatchObject([{ kind: 'gate_pending', object: gate.id, state: 'pending' }])
    await agency.pass(59 * minute)
    expect(agency.notices).toHaveLength(1)
    await agency.pass(2 * minute)
    expect(agency.notices.slice(1)).toMatchObject([{ kind: 'gate_reminder', object: gate.id, state: 'reminded' }])
    await agency.pass(600 * minute)
    expect(agency.notices).toHaveLength(2)
  })

  it('sends no reminder after the decision', async () => {
    const { agency, run } = await gated(openFresh)
    await approve(agency, run.id)
    await agency.settled(run)
    await agency.pass(120 * minute)
    expect(agency.notices.filter((notice) => notice.kind === 'gate_reminder')).toEqual([])
  })
})

describeStores('a decision about a gate', (openFresh) => {
  it('is made once, also by two concurrent deciders', async () => {
    const { agency, run, gate } = await gated(openFresh)
    const other = await openAgency({
      db: await agency.store.open({ clock: agency.clock }),
      clock: agency.clock,
      worker: 'other:1',
    })
    const outcomes = await Promise.allSettled([
      approve(agency, gate.id),
      approve(other, gate.id),
      reject(agency, gate.id),
      reject(other, gate.id),
    ])
    expect(outcomes.filter((each) => each.status === 'fulfilled')).toHaveLength(1)
    for (const each of outcomes)
      if (each.status === 'rejected')
        expect(each.reason).toMatchObject({
          code: 'illegal_transition',
          message: expect.stringMatching(/ is (approved|rejected) already, by operator$/) as never,
        })
    const decisions = (await kinds(agency, run)).filter((kind) => /^gate_(approved|rejected)$/.test(kind))
    expect(decisions).toHaveLength(1)
    await agency.settled(run)
  })

  it('after another is refused with the name of the first decider', async () => {
    const { agency, run, gate } = await gated(openFresh)
    await approve(agency, gate.id)
    const again = await refused(approve(agency, gate.id))
    expect(again).toMatchObject({ code: 'illegal_transition' })
    expect(again.message).toBe(`gate ${gate.id} (plan) is approved already, by operator`)
    expect(await refused(reject(agency, gate.id))).toMatchObject({ code: 'illegal_transition' })
    expect(await refused(approve(agency, run.id))).toMatchObject({
      code: 'not_found',
      message: 'no pending gate; pending: none',
      hint: 'Its last gate, plan, is approved by operator.',
    })
  })

  it('on a gate that is not pending is refused with the list of pending gates', async () => {
    const { agency, run, gate } = await gated(openFresh)
    const free = await agency.settled(await agency.run())
    const waiting = `pending: ${gate.id} (plan of ${run.id})`
    expect(await refused(approve(agency, free.id))).toMatchObject({
      code: 'not_found',
      message: `no pending gate; ${waiting}`,
    })
    for (const target of ['gat_nope', 'run_nope', 'nope', '%'])
      expect(await refused(reject(agency, target))).toMatchObject({
        code: 'not_found',
        message: `no run or gate "${target}"; ${waiting}`,
      })
    expect(await refused(agency.gates.approve(operator, { target: run.id, gate: 'nope' }))).toMatchObject({
      message: `no pending gate "nope"; ${waiting}`,
      hint: `It waits at ${gate.id} (plan): agency approve ${gate.id}`,
    })
    expect((await gatesOf(agency, run))[0]).toMatchObject({ status: 'pending' })
  })

  it('can name the run by a prefix', async () => {
    const { agency, run } = await gated(openFresh)
    await approve(agency, run.id.slice(4, 10))
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('can choose among several gates of a run', async () => {
    const agency = await startAgency(openFresh, { defaults: { onLimit: 'ask' } })
    const stuck: StepInput[] = [{ report: { status: 'blocked', summary: 'Which colour should the button have?' } }]
    const run = await agency.run({ briefs: [brief('a', [], stuck), brief('b', [], stuck)] })
    for (let times = 0; times < 4; times++) {
      const question = await agency.until(async () => (await agency.questions.list({ limit: 10 })).questions[0])
      await agency.questions.answer(operator, question.id, 'retry')
    }
    await agency.until(async () => (await gatesOf(agency, run)).length === 2)
    const several = await refused(approve(agency, run.id))
    const [first] = await gatesOf(agency, run)
    expect(several).toMatchObject({
      code: 'conflict',
      hint: `Name the gate instead of the run: agency approve ${first?.id}`,
    })
    for (const gate of await gatesOf(agency, run))
      expect(several.message).toContain(`${gate.id} (escalation of ${gate.boundary.replace(':', ' ')})`)
  })

  it('needs several persons if the run requires it', async () => {
    const { agency, run, gate } = await gated(openFresh, { approvalsNeeded: 2 })
    await addPersona(agency, 901, 'kent')
    await addPersona(agency, 902, 'bot', 1)
    expect(await approve(agency, gate.id, { as: 'Kent', note: 'Fine' })).toMatchObject({
      status: 'pending',
      approvalsNeeded: 2,
      approvals: [{ by: 'kent', note: 'Fine' }],
      confirmation: '✅ Noted — 1 of 2 approvals, 1 to go.',
    })
    expect((await agency.runs.show(run.id)).status).toBe('gated')
    expect(await refused(approve(agency, gate.id, { as: 'kent' }))).toMatchObject({
      code: 'conflict',
      message: 'kent has already approved this gate',
    })
    expect(await refused(approve(agency, gate.id, { as: 'bot' }))).toMatchObject({ code: 'forbidden' })
    expect(await refused(approve(agency, gate.id, { as: 'nobody' }))).toMatchObject({ code: 'not_found' })
    expect(await approve(agency, gate.id)).toMatchObject({ status: 'approved', by: 'operator' })
    expect(await refused(approve(agency, gate.id, { as: 'kent' }))).toMatchObject({ code: 'illegal_transition' })
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('counts once per person, also if both approve at once', async () => {
    const { agency, run, gate } = await gated(openFresh, { approvalsNeeded: 3 })
    await addPersona(agency, 901, 'kent')
    const outcomes = await Promise.allSettled(
      ['kent', 'operator', 'kent', 'operator'].map((as) => approve(agency, gate.id, { as })),
    )
    expect(outcomes.filter((each) => each.status === 'fulfilled')).toHaveLength(2)
    expect((await gatesOf(agency, run))[0]).toMatchObject({ status: 'pending', approvals: [{}, {}] })
  })
})

describeStores('an acceptance gate', (openFresh) => {
  const accepting = async (play: readonly (readonly StepInput[])[] = [work], input: object = {}) => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ acceptance: 'operator', play, ...input } as never)
    return { agency, run, gate: await pending(agency, run, 'acceptance') }
  }

  it('completes the run and its mission when approved', async () => {
    const { agency, run } = await accepting()
    expect((await agency.runs.show(run.id)).status).toBe('accepting')
    expect((await agency.missions.show(run.missionId)).status).toBe('review')
    expect(await approve(agency, run.id)).toMatchObject({ confirmation: '✅ Accepted — the run is done.' })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', summary: '1 brief done and accepted' })
    expect((await agency.brief(run)).status).toBe('done')
    expect((await agency.missions.show(run.missionId)).status).toBe('done')
  })

  it('sends the result back with the reason, which no limit counts', async () => {
    const { agency, run, gate } = await accepting()
    expect(await reject(agency, gate.id, 'It rhymes too much')).toMatchObject({
      status: 'rejected',
      confirmation: '❌ Rejected — 1 brief is done again with your reason.',
    })
    const second = await pending(agency, run, 'acceptance')
    expect(second.id).not.toBe(gate.id)
    expect(await agency.brief(run)).toMatchObject({
      rejectionReason: 'It rhymes too much',
      attempts: 2,
      retriesUsed: 0,
      crashRetries: 0,
      verificationFailures: 0,
    })
    expect(await lastPrompt(agency, run)).toContain('It rhymes too much')
    await approve(agency, run.id)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await kinds(agency, run)).toEqual(expect.arrayContaining(['gate_rejected', 'retried', 'gate_approved']))
  })

  it('pauses the run with a question after the fifth rejection', async () => {
    const { agency, run } = await accepting()
    for (let times = 1; times <= 4; times++) {
      await reject(agency, run.id, `Reason ${times}`)
      await pending(agency, run, 'acceptance')
    }
    expect(await reject(agency, run.id, 'Reason 5')).toMatchObject({
      confirmation: expect.stringContaining('the run is paused and a question waits') as never,
    })
    await agency.engine.sweep()
    await agency.engine.idle()
    expect((await agency.runs.show(run.id)).status).toBe('paused')
    expect(await agency.brief(run)).toMatchObject({ status: 'pending', heldBy: 'pause', retriesUsed: 0, attempts: 5 })
    const { questions } = await agency.questions.list({ runId: run.id, limit: 10 })
    expect(questions).toMatchObject([{ class: 'gate', options: [{ key: 'resume' }, { key: 'abandon' }] }])
    await agency.questions.answer(operator, questions[0]?.id ?? '', 'resume')
    await pending(agency, run, 'acceptance')
    expect(await lastPrompt(agency, run)).toContain('Reason 5')
    await approve(agency, run.id)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('fails the run when the operator abandons it', async () => {
    const { agency, run } = await accepting([work])
    await rejectFiveTimes(agency, run)
    const { questions } = await agency.questions.list({ runId: run.id, limit: 10 })
    await expect(agency.questions.answer(operator, questions[0]?.id ?? '', 'abadon')).rejects.toMatchObject({
      code: 'invalid_input',
      hint: 'Answer resume or abandon.',
    })
    await agency.questions.answer(operator, questions[0]?.id ?? '', 'abandon')
    expect(await agency.settled(run)).toMatchObject({ status: 'failed', summary: 'the operator gave up' })
    expect(await agency.brief(run)).toMatchObject({ status: 'cancelled' })
    expect((await agency.missions.show(run.missionId)).status).toBe('failed')
  })

  it('has its question withdrawn once the run continues', async () => {
    const { agency, run } = await accepting([work])
    await rejectFiveTimes(agency, run)
    await agency.gates.resume(operator, run.id)
    const { questions } = await agency.inspect(run)
    expect(questions.map((question) => question.status)).toEqual(['withdrawn'])
  })

  async function rejectFiveTimes(agency: TestAgency, run: Run): Promise<void> {
    for (let times = 1; times <= 5; times++) {
      await reject(agency, run.id)
      if (times < 5) await pending(agency, run, 'acceptance')
    }
  }
})

describeStores('a gate that expires undecided', (openFresh) => {
  it('pauses the run instead of continuing or repeating it', async () => {
    const { agency, run, gate } = await gated(openFresh, { gateTimeoutMinutes: 30 })
    expect(gate.timeoutMinutes).toBe(30)
    await agency.pass(29 * minute)
    expect((await agency.runs.show(run.id)).status).toBe('gated')
    await agency.pass(1 * minute)
    expect((await gatesOf(agency, run))[0]).toMatchObject({ status: 'expired', reason: 'timeout', by: 'system' })
    await agency.engine.sweep()
    await agency.engine.idle()
    expect((await agency.runs.show(run.id)).status).toBe('paused')
    const rejected = (await agency.events(run)).find((event) => event.kind === 'gate_rejected')
    expect(rejected?.data).toMatchObject({ gate_id: gate.id, reason: 'timeout', by: 'system' })
    expect(await kinds(agency, run)).not.toContain('spawned')
    expect(await refused(approve(agency, gate.id))).toMatchObject({
      code: 'illegal_transition',
      message: `gate ${gate.id} (plan) is expired already, by system`,
    })
  })

  it('opens again when the run is resumed', async () => {
    const { agency, run, gate } = await gated(openFresh, { gateTimeoutMinutes: 0.05 })
    await agency.pass(3_000)
    expect((await agency.runs.show(run.id)).status).toBe('paused')
    const resumed = await agency.gates.resume(operator, run.id)
    const again = await pending(agency, run, 'plan')
    expect(again).toMatchObject({ summary: gate.summary, timeoutMinutes: 0.05 })
    expect(resumed).toEqual({ runId: run.id, status: 'gated', heldBy: `gate:${again.id}` })
    await approve(agency, run.id)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('opens again also for the acceptance of a result', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ acceptance: 'operator', gateTimeoutMinutes: 10 })
    await pending(agency, run, 'acceptance')
    await agency.pass(10 * minute)
    expect((await agency.runs.show(run.id)).status).toBe('paused')
    expect(await agency.gates.resume(operator, run.id)).toMatchObject({ status: 'accepting' })
    await approve(agency, run.id)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect((await agency.brief(run)).attempts).toBe(1)
  })

  it('expires on time also after the process that opened it has ended', async () => {
    const { agency, run } = await gated(openFresh, { gateTimeoutMinutes: 30 })
    agency.die()
    const next = await openAgency({ db: agency.store.db, clock: agency.clock })
    await next.engine.start()
    await next.pass(30 * minute)
    expect((await next.runs.show(run.id)).status).toBe('paused')
    expect(await kinds(next, run)).not.toContain('spawned')
  })

  it('opens once when the clock was set back after an earlier expiry', async () => {
    const { agency, run } = await gated(openFresh, { gateTimeoutMinutes: 30 })
    agency.clock.jump(240 * minute)
    await agency.pass(31 * minute)
    agency.clock.jump(-240 * minute)
    await agency.gates.resume(operator, run.id)
    await agency.pass(30 * minute)
    expect((await agency.runs.show(run.id)).status).toBe('paused')
    expect(await agency.gates.resume(operator, run.id)).toMatchObject({ status: 'gated' })
    expect(await agency.gates.list('pending', 10)).toMatchObject({ total: 1 })
    await approve(agency, run.id)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('opens again with a pause that began before the clock was set back', async () => {
    const { agency, run } = await gated(openFresh, { gateTimeoutMinutes: 30 })
    agency.clock.jump(240 * minute)
    await agency.gates.pause(operator, run.id, undefined)
    agency.clock.jump(-240 * minute)
    await agency.pass(31 * minute)
    expect(await agency.gates.list('expired', 10)).toMatchObject({ total: 1 })
    expect(await agency.gates.resume(operator, run.id)).toMatchObject({ status: 'gated' })
  })

  it('expires also while the run is paused, and opens again with it', async () => {
    const { agency, run } = await gated(openFresh, { gateTimeoutMinutes: 30 })
    await agency.gates.pause(operator, run.id, undefined)
    await agency.pass(31 * minute)
    expect(await agency.gates.list('expired', 10)).toMatchObject({ total: 1 })
    expect(await agency.gates.resume(operator, run.id)).toMatchObject({ status: 'gated' })
    await approve(agency, run.id)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })
})

describeStores('a paused run', (openFresh) => {
  it('lets agents finish and starts nothing until it is resumed', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ briefs: [brief('a', [], waits('a')), brief('b', ['a'])] })
    await agency.gate('a').reached
    expect(await agency.gates.pause(operator, run.id, 'Lunch')).toMatchObject({
      gate: 'manual',
      status: 'pending',
      timeoutMinutes: null,
      summary: { produced: 'Lunch' },
    })
    expect((await agency.runs.show(run.id)).status).toBe('paused')
    agency.gate('a').open()
    await agency.until(async () => (await agency.brief(run, 'a')).status === 'done')
    await agency.engine.sweep()
    await agency.engine.idle()
    expect(await agency.brief(run, 'b')).toMatchObject({ status: 'pending', attempts: 0, heldBy: 'pause' })
    expect(await agency.gates.resume(operator, run.id)).toEqual({ runId: run.id, status: 'running', heldBy: null })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
    const told = await kinds(agency, run)
    expect(told.filter((kind) => kind === 'gate_paused' || kind === 'gate_resumed')).toEqual([
      'gate_paused',
      'gate_resumed',
    ])
    expect((await agency.inspect(run)).attempts.map((attempt) => attempt.outcome)).toEqual(['ok', 'ok'])
  })

  it('ends when it is resumed after its last brief was done meanwhile', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [waits('a')] })
    await agency.gate('a').reached
    await agency.gates.pause(operator, run.id, undefined)
    agency.gate('a').open()
    await agency.until(async () => (await agency.brief(run)).status === 'done')
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'paused', endedAt: null })
    await agency.gates.resume(operator, run.id)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('cannot be paused again; an ended run cannot be paused, and only a paused run can be resumed', async () => {
    const { agency, run } = await gated(openFresh)
    expect(await refused(agency.gates.resume(operator, run.id))).toMatchObject({
      code: 'illegal_transition',
      message: `run ${run.id} is gated, not paused`,
      hint: `It waits for a decision: "agency approve ${run.id}".`,
    })
    await agency.gates.pause(operator, run.id, undefined)
    expect(await refused(agency.gates.pause(operator, run.id, undefined))).toMatchObject({ code: 'illegal_transition' })
    await agency.gates.resume(operator, run.id)
    await approve(agency, run.id)
    await agency.settled(run)
    for (const act of [
      () => agency.gates.pause(operator, run.id, undefined),
      () => agency.gates.resume(operator, run.id),
    ])
      expect(await refused(act())).toMatchObject({ code: 'illegal_transition' })
    expect(await refused(agency.gates.pause(operator, 'run_nope', undefined))).toMatchObject({ code: 'not_found' })
  })

  it('keeps waiting for its plan: approving that does not resume it', async () => {
    const { agency, run, gate } = await gated(openFresh)
    await agency.gates.pause(operator, run.id, undefined)
    expect(await approve(agency, run.id)).toMatchObject({
      id: gate.id,
      confirmation: `✅ Approved — the run is paused: "agency resume ${run.id}".`,
    })
    await agency.engine.sweep()
    await agency.engine.idle()
    expect(await agency.brief(run)).toMatchObject({ attempts: 0, heldBy: 'pause' })
    await agency.gates.resume(operator, run.id)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('stays paused when its planner finishes and the plan waits for approval', async () => {
    const agency = await startAgency(openFresh)
    const planning: StepInput[] = [{ log: 'gate plan' }, { report: { plan: [{ key: 'only', objective: 'Do it' }] } }]
    const run = await agency.run({
      planner: true,
      planGate: true,
      runtimeOptions: { scenario: { attempts: [work], plan: [planning] } },
    })
    await agency.gate('plan').reached
    await agency.gates.pause(operator, run.id, undefined)
    agency.gate('plan').open()
    await pending(agency, run, 'plan')
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'paused', gatesPending: 2 })
    expect(await agency.gates.resume(operator, run.id)).toMatchObject({ status: 'gated' })
    await approve(agency, run.id)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('ends when its planner is cancelled, because no decision about the plan could be carried out', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({
      planner: true,
      planGate: true,
      runtimeOptions: {
        scenario: {
          attempts: [work],
          plan: [[{ report: { summary: 'One.', plan: [{ key: 'a', objective: 'Do it' }] } }]],
        },
      },
    })
    await pending(agency, run, 'plan')
    await agency.gates.pause(operator, run.id, undefined)
    await agency.briefs.update(operator, (await agency.brief(run, 'plan:1')).id, 'cancelled', undefined)
    expect(await agency.settled(run)).toMatchObject({ status: 'cancelled', summary: 'every brief was cancelled' })
  })

  it('is paused once by two concurrent requests', async () => {
    const { agency, run } = await gated(openFresh)
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => agency.gates.pause(operator, run.id, undefined)))
    expect(outcomes.filter((each) => each.status === 'fulfilled')).toHaveLength(1)
  })
})
