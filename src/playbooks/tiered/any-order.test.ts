import fc from 'fast-check'
import { expect, it } from 'vitest'

import {
  aTask,
  either,
  failing,
  full,
  inTurn,
  medium,
  output,
  playOn,
  simple,
  type Stream,
  teamed,
  wellDone,
} from '../../../test/support/tiered/agents.ts'
import type { Ending } from '../../../test/support/tiered/endings.ts'
import { Play } from '../../../test/support/tiered/play.ts'
import { AgencyError } from '../../kernel/errors.ts'
import type { TierName as Tier } from '../../team/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { phases } from './contract.ts'

/** Groups, every usual path, two workstreams of one domain, and a workstream with an unusual path. */
const shapes: readonly (readonly Stream[])[] = [
  [{ id: 'typo', path: simple }],
  [{ id: 'fix', path: medium }],
  [
    { id: 'api', path: full, domain: 'backend' },
    { id: 'db', path: full, domain: 'backend' },
    { id: 'docs', path: simple, group: 'B' },
  ],
  [
    { id: 'one', path: medium, domain: 'web' },
    { id: 'two', path: medium, domain: 'web' },
    { id: 'odd', path: ['t2', 't4', 't5'], group: 'B' },
    { id: 'late', path: full, group: 'C' },
  ],
]

/** A small random generator, so that one number determines a whole run. */
function chance(seed: number): (most: number) => number {
  let state = seed >>> 0 || 1
  return (most) => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % most
  }
}

type Pick = (most: number) => number

/** Returns any ending that an agent may bring about, sensible or not. */
function anyEnding(play: Play, brief: Brief, streams: readonly Stream[], pick: Pick): Ending {
  switch (pick(12)) {
    case 0:
      return { kind: 'crash' }
    case 1:
      return { kind: 'bad' }
    case 2:
      return { kind: 'blocked', reason: `which way? ${pick(5)}` }
    case 3:
      return { kind: 'denied', what: `delete ${pick(5)}` }
    case 4:
      if (brief.phase === 't4') return { kind: 'partial' }
      break
    case 5:
    case 6:
      if (brief.phase === 't5') return { kind: 'verdict', judgement: { verdict: 'fail', issues: ['wrong'] } }
      if (brief.phase === 't1_accept')
        return output({
          decision: 'reject',
          reason: 'no',
          action: pick(2) === 0 ? 'rework' : 'replan',
          workstreams: [],
        })
      if (brief.phase === 't2_synthesis')
        return output({
          conflicts: [{ workstreams: Object.keys(brief.inputs['proposals'] as object), about: 'the format' }],
        })
      if (brief.phase === 't3_plan')
        return output({ tasks: [aTask('shared'), aTask(`own-${brief.id.slice(4)}`, { depends_on: ['shared'] })] })
      if (brief.phase === 't3_mesh') return output({ tasks: pick(2) === 0 ? [] : [aTask(`mine-${brief.id.slice(4)}`)] })
      if (brief.phase === 't3_verdict') return integration(brief)
      if (brief.phase === 'resolve') return anyResolution(brief, pick)
      break
  }
  return wellDone(play, brief, streams)
}

function integration({ inputs }: Brief): Ending {
  const results = inputs['t5_results'] as { scope: string; verdict: string }[]
  const failed = results.filter(({ verdict }) => verdict === 'fail').map(({ scope }) => scope)
  return {
    kind: 'output',
    output: {
      t5_results: [...results, { verifier_id: 'x', scope: 'integration', verdict: 'fail', issues: ['do not fit'] }],
      joint_verdict: 'partial',
      failed_scopes: [...failed, 'integration'],
      summary: 'they do not fit',
    },
  }
}

function anyResolution(brief: Brief, pick: Pick): Ending {
  const n = brief.id.slice(4)
  const answers = [
    { decision: 'hand_up', reason: 'not mine' },
    {
      decision: 'replace',
      tasks: [aTask(`new-${n}`), aTask(`next-${n}`, { depends_on: [`new-${n}`] })],
      reason: 'better',
    },
    { decision: 'replace', squads: [{ id: `sq${n}`, name: 'other', scope: 'all of it' }], reason: 'better' },
    { decision: 'answer', answer: '', reason: 'nothing to say' },
  ]
  return output(answers[pick(answers.length)])
}

const removable = ['draft', 'committed', 'pending', 'blocked']

/** Takes one of the steps that are possible now; false when there is none. */
async function anyStep(play: Play, streams: readonly Stream[], pick: Pick): Promise<boolean> {
  const steps: (() => Promise<unknown>)[] = []
  const runnable = await play.runnable()
  if (runnable.length > 0) steps.push(() => play.launch(runnable[pick(runnable.length)] as Brief))
  const live = play.live()
  if (live.length > 0) {
    const brief = live[pick(live.length)] as Brief
    steps.push(() => play.end(brief, anyEnding(play, brief, streams, pick)))
    steps.push(() => play.end(brief, wellDone(play, brief, streams)))
  }
  const gates = play.operatorGates()
  const gate = gates[pick(Math.max(1, gates.length))]
  if (gate !== undefined && play.run.status !== 'paused')
    steps.push(() =>
      pick(5) === 0 && gate.gate !== 'escalation' ? play.reject(gate.id, 'not yet') : play.approve(gate.id),
    )
  const question = play.questions[pick(Math.max(1, play.questions.length))]
  if (question !== undefined) steps.push(() => play.answer(question, pick(30) === 0 ? 'abandon' : 'retry'))
  const timer = play.timers[pick(Math.max(1, play.timers.length))]
  if (timer !== undefined && (timer.minutes === 0 || pick(6) === 0)) steps.push(() => play.fire(timer))
  const tasks = play.of('t4').filter(({ status }) => removable.includes(status))
  if (tasks.length > 0 && pick(40) === 0) steps.push(() => play.cancel(tasks[pick(tasks.length)] as Brief))
  if (pick(60) === 0 && play.parts.has('wave:1')) steps.push(() => anyAmendment(play, streams, pick))
  const step = steps[pick(Math.max(1, steps.length))]
  if (step === undefined) return false
  await step()
  return true
}

/** By the operator, or by an agent at work; the service may refuse it, and then nothing may change. */
async function anyAmendment(play: Play, streams: readonly Stream[], pick: Pick): Promise<void> {
  const { id } = streams[pick(streams.length)] as Stream
  if (!play.parts.has(`ws:${id}`)) return
  const paths = [full, medium, simple]
  const live = play.live()
  const by = pick(2) === 0 ? undefined : live[pick(Math.max(1, live.length))]
  try {
    await play.amend(id, paths[pick(3)] as readonly Tier[], by)
  } catch (error) {
    if (!(error instanceof AgencyError) || !['illegal_transition', 'invalid_input'].includes(error.code)) throw error
  }
}

const groupOf = (streams: readonly Stream[], workstream: string): string =>
  streams.find(({ id }) => id === workstream.replace(/-r\d+$/, ''))?.group ?? 'A'

/** Checks the rules that hold after every step. */
async function check(play: Play, streams: readonly Stream[]): Promise<void> {
  const briefs = [...play.briefs.values()]
  if (!play.gates.some(({ gate, status }) => gate === 't1_plan' && status === 'approved'))
    expect(briefs.filter(({ capKey: tier }) => tier !== 't1').map(({ key }) => key)).toEqual([])
  for (const brief of briefs) {
    if (brief.phase === 't4' && (brief.status === 'verified' || brief.status === 'done')) {
      const verdict = play.verdicts.get(brief.id)
      expect([brief.key, verdict?.verdict, verdict?.attempt]).toEqual([brief.key, 'pass', brief.attempts])
    }
    if (brief.phase === 't4' && brief.attempts > 0 && brief.inputs['tier_path'] !== undefined) {
      const squad = play.parts.get(brief.part as string)
      const mesh = squad?.data['mesh'] as string | null
      if (mesh !== null && mesh !== undefined)
        expect(play.lines.some(({ kind, data }) => kind === 'all_committed' && data['mesh'] === mesh)).toBe(true)
    }
  }
  // A group starts when every workstream of the group before it is done.
  const order = [...new Set(streams.map(({ group = 'A' }) => group))]
  for (const { groupKey: workstream, attempts } of briefs) {
    if (workstream === null || attempts === 0) continue
    const before = order.slice(0, order.indexOf(groupOf(streams, workstream)))
    for (const { id } of streams.filter(({ group = 'A' }) => before.includes(group)))
      expect([workstream, play.lines.some(({ message }) => message.endsWith(`workstream ${id} done`))]).toEqual([
        workstream,
        true,
      ])
  }
  if (play.run.endedAt !== null) return
  const waits =
    play.live().length +
    play.operatorGates().length +
    play.questions.length +
    play.timers.filter(({ minutes }) => minutes === 0).length
  if (waits === 0 && (await play.runnable()).length === 0)
    throw new Error(`no step is possible any more:\n${story(play)}`)
}

const story = (play: Play): string =>
  [
    ...[...play.parts.values()].map(({ key, status, data }) => `${key} ${status} ${JSON.stringify(data)}`),
    ...[...play.briefs.values()]
      .filter(({ status }) => !['done', 'cancelled'].includes(status))
      .map(({ key, status, unmetDependencies, part }) => `${key} ${status} ${unmetDependencies} ${part}`),
    ...play.lines.slice(-40).map(({ tier, code, message }) => `${tier} ${code} ${message}`),
    `run ${play.run.status}`,
  ].join('\n')

/** After some steps of any kind every agent works well, and the operator answers: then every run has to end. */
async function playAny(seed: number, shape: number, steps: number, team?: string): Promise<Play> {
  const streams = shapes[shape] as readonly Stream[]
  const pick = chance(seed)
  const play = await Play.start({ alone: true, ...(team === undefined ? {} : { team }) })
  await check(play, streams)
  for (let step = 0; step < steps && play.run.endedAt === null; step++) {
    await anyStep(play, streams, pick)
    await check(play, streams)
  }
  for (let round = 0; round < 400 && play.run.endedAt === null; round++) {
    await playOn(play, { streams })
    if (play.run.endedAt !== null) break
    const question = play.questions[0]
    if (question !== undefined) await play.answer(question, 'retry')
    await check(play, streams)
  }
  if (play.run.endedAt === null) throw new Error(`the run never ends:\n${story(play)}`)
  await play.check()
  await play.close()
  return play
}

const numRuns = Number(process.env['TIERED_RUNS'] ?? (process.env['CI'] === undefined ? 10 : 80))
/** Some dozens of whole runs take longer than the usual limit if other suites use the machine. */
const timeout = 300_000

it('ends every run after any sequence of steps by agents, operator and clock', { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.nat(shapes.length - 1), fc.nat(200), async (seed, shape, steps) => {
      const play = await playAny(seed, shape, steps)
      expect(['done', 'failed', 'cancelled']).toContain(play.run.status)
      expect(play.briefs.size).toBeLessThan(3_000)
    }),
    { numRuns },
  )
})

it('ends every run for any settings of its team', { timeout }, async () => {
  const limits = {
    retryBudget: fc.nat(2),
    t2ConflictCycleLimit: fc.nat(2),
    t3MeshTimeoutMinutes: fc.constantFrom(10, null),
  }
  // A team file refuses verdicts one by one beside the gate that holds them, which strict mode opens.
  const Team = fc.oneof(
    fc.record({ strict: fc.boolean(), limits: fc.record(limits) }),
    fc.record({ limits: fc.record({ ...limits, pipelineRequires: fc.constant('verified' as const) }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.nat(shapes.length - 1), fc.nat(200), Team, async (seed, shape, steps, team) => {
      const play = await playAny(seed, shape, steps, teamed(team))
      expect(['done', 'failed', 'cancelled']).toContain(play.run.status)
    }),
    { numRuns },
  )
})

const permanently: Readonly<Record<string, (brief: Brief) => Ending | null>> = {
  crashes: () => ({ kind: 'crash' }),
  'delivers nothing useful': () => ({ kind: 'bad' }),
  'asks a question': () => ({ kind: 'blocked', reason: 'what now?' }),
}
const troubles = [...phases].flatMap((phase) => Object.keys(permanently).map((how) => [phase, how] as const))
const whole = shapes[2] as readonly Stream[]

it.each(troubles)('stops at a question or gate when every %s attempt %s', async (phase, how) => {
  const ending = permanently[how] as (brief: Brief) => Ending | null
  const stuck = inTurn(({ phase: name }) => name === 't4', { kind: 'blocked', reason: 'which?' })
  const play = await playOn(await Play.start({ team: teamed({ limits: { retryBudget: 1 } }) }), {
    streams: whole,
    otherwise: either((brief) => (brief.phase === phase ? ending(brief) : null), stuck),
  })
  if (play.run.status !== 'done') expect(play.questions.length + play.pendingGates().length).toBeGreaterThan(0)
  expect(play.briefs.size).toBeLessThan(200)
})

it.each(['t4', 't3_plan', 't5'])(
  'stops at a question when %s always fails and every tier above only replaces it',
  async (phase) => {
    const play = await playOn(await Play.start({ team: teamed({ limits: { retryBudget: 0 } }) }), {
      streams: whole,
      otherwise: (brief) => {
        if (brief.phase === phase) return phase === 't5' ? failing() : { kind: 'bad' }
        if (brief.phase !== 'resolve') return null
        const n = brief.id.slice(4)
        return output(
          phase === 't3_plan'
            ? { decision: 'replace', squads: [{ id: `s${n}`, name: 'other', scope: 'it' }], reason: 'others' }
            : { decision: 'replace', tasks: [aTask(`t${n}`)], reason: 'others' },
        )
      },
    })
    expect(play.questions.length).toBeGreaterThan(0)
    expect(play.briefs.size).toBeLessThan(200)
  },
)
