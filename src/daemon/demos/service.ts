import type { Db } from '../../db/port.ts'
import type { Jobs } from '../../jobs/queue.ts'
import type { Actor } from '../../kernel/actor.ts'
import { hasCheckWarning } from '../../kernel/checked-in.ts'
import { type Clock, isoAt } from '../../kernel/clock.ts'
import { AgencyError, refusal } from '../../kernel/errors.ts'
import { operatorPersona } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import type { GateView } from '../../work/gates/contract.ts'
import type { Gates } from '../../work/gates/service.ts'
import type { CreateRun, Run } from '../../work/runs/contract.ts'
import type { Runs } from '../../work/runs/service.ts'
import type { DemoGuide, PlayDemo } from './contract.ts'
import { demoOf, type DemoFiles, directDemo, liarDemo, liarFiles, tieredDemo } from './plays.contract.ts'

/** Never deleted, unlike the keys of requests: an installation starts its first demonstration only once. */
export const firstDemoKey = 'demo:tiered'

export interface DemoDeps {
  db: Db
  clock: Clock
  log: Log
  jobs: Pick<Jobs, 'enqueue' | 'handle'>
  /** Creates a repository of this name for a demonstration to work on; resolves to its path. */
  makeRepository: (name: string, files?: DemoFiles) => Promise<string>
  runs: Runs
  gates: Gates
}

export type Demos = ReturnType<typeof createDemos>

/** Long enough to read a gate. */
const readingMs = 1_500
/** The first demonstration lets its visitor decide the first gate: long enough to find the button and to try it. */
export const visitorMs = 15_000
const checkMs = 1_000
/** No person watches a demonstration for longer: gates that are still open then wait for the operator. */
const longestMs = 30 * 60_000

/** Creates the service for runs of simulated agents that show the product at work. Call it before the queue starts. */
export function createDemos(deps: DemoDeps) {
  const { db, clock, log, jobs, makeRepository, runs } = deps
  const watched = new Set<string>()
  let firstId: string | null = null
  /** When a person's decision about a gate was last seen waiting: taken back, it leaves her the time to decide again. */
  const heldAt = new Map<string, number>()
  const patienceOf: PatienceOf = (runId, gate, gates) => {
    if (gate.decisions?.some(({ status }) => status === 'waiting') === true) heldAt.set(gate.id, clock.nowMs())
    const held = heldAt.get(gate.id)
    const isFirst =
      runId === firstId && !gates.some(({ approver, status }) => approver === 'operator' && status !== 'pending')
    return {
      fromMs: Math.max(Date.parse(gate.pendingSince), held ?? 0),
      patienceMs: isFirst || held !== undefined ? visitorMs : readingMs,
    }
  }
  jobs.handle(jobKind, async ({ payload }) => {
    const runId = String(payload)
    const nextMs = await approveGates(deps, runId, patienceOf)
    if (nextMs === null) watched.delete(runId)
    else await watchGates(runId, nextMs)
  })

  async function createRun(by: Actor, { name, profile, manual }: PlayDemo, folder: string): Promise<Run> {
    const run = await runs.create(by, await inputOf(name, profile, folder))
    if (!manual) await watchGates(run.id)
    return run
  }

  async function inputOf(name: PlayDemo['name'], profile: PlayDemo['profile'], folder: string): Promise<CreateRun> {
    if (name === 'direct') return directDemo
    if (name === 'tiered') return tiered(profile, folder)
    return liarDemo(await liarRepository(folder))
  }

  /** Describes a tiered run. Without git it has no repository, so that nothing is merged in the end. */
  async function tiered(profile: PlayDemo['profile'], name: string): Promise<CreateRun> {
    try {
      return tieredDemo(profile, await makeRepository(name))
    } catch (error) {
      log.warn('the demonstration has no repository', { error: String(error) })
      return tieredDemo(profile, null)
    }
  }

  /** Its lie is found in what it changed, so it cannot be played without a repository. */
  async function liarRepository(folder: string): Promise<string> {
    try {
      return await makeRepository(folder, liarFiles)
    } catch (error) {
      log.warn('the demonstration has no repository', { error: String(error) })
      throw refusal('unsupported', 'the demonstration “liar” needs git, and no repository can be created', {
        hint: 'Install git, or play another one: agency demo direct',
      })
    }
  }

  const watchGates = (runId: string, delayMs = 0): Promise<unknown> => {
    watched.add(runId)
    return db.write([], (tx) => jobs.enqueue(tx, { kind: jobKind, payload: runId, key: runId, delayMs }))
  }

  return {
    /** Reports whether a gate of the run is approved automatically: then no notification is sent for it. */
    approves: ({ runId, summary }: { runId: string | null; summary: string }): boolean =>
      runId !== null && watched.has(runId) && !hasCheckWarning(summary),

    play: (by: Actor, input: PlayDemo): Promise<Run> =>
      createRun(by, input, `${input.name === 'liar' ? input.name : input.profile}-${clock.at().replace(/\D/g, '')}`),

    async guide(runId: string): Promise<DemoGuide> {
      const run = await runs.show(runId)
      const name = demoOf(run)
      if (name === null || run.endedAt !== null || !watched.has(run.id)) return { name, gate: null }
      const { gates } = await deps.gates.ofRun(run.id)
      const pending = gates.find(isDecidable)
      if (pending === undefined) return { name, gate: null }
      const { fromMs, patienceMs } = patienceOf(run.id, pending, gates)
      return { name, gate: { id: pending.id, approvesAt: isoAt(fromMs + patienceMs) } }
    },

    /** Starts the first demonstration, once per installation. If it is killed, it continues at the next start. */
    async first(by: Actor): Promise<Run> {
      const input = await tiered('full', 'first')
      const run = await db.once(firstDemoKey, 'demo', () => runs.create(by, input))
      firstId = run.id
      const { endedAt } = await runs.show(run.id)
      if (endedAt === null) await watchGates(run.id)
      return run
    },
  }
}

const jobKind = 'demo_gates'

/** Returns how long the demonstration leaves a gate to a person, and from when on. */
type PatienceOf = (
  runId: string,
  gate: GateView,
  gates: readonly GateView[],
) => { readonly fromMs: number; readonly patienceMs: number }

/**
 * Approves a pending gate for the operator after a moment, with a note, unless a person decides first. Returns the
 * delay until the next check, or null.
 */
async function approveGates(
  { clock, runs, gates, log }: DemoDeps,
  runId: string,
  patienceOf: PatienceOf,
): Promise<number | null> {
  const { endedAt, startedAt } = await runs.show(runId)
  if (endedAt !== null || clock.nowMs() - Date.parse(startedAt) > longestMs) return null
  const all = (await gates.ofRun(runId)).gates
  const pending = all.find(isDecidable)
  if (pending === undefined) return checkMs
  const { fromMs, patienceMs } = patienceOf(runId, pending, all)
  const left = fromMs + patienceMs - clock.nowMs()
  // A person may have decided meanwhile, and the next gate should not wait for this one's time.
  if (left > 0) return Math.min(left, checkMs)
  await gates
    .approve(simulatedOperator, { target: pending.id, note: noteAfter(patienceMs) })
    .catch((error: unknown) => {
      if (!(error instanceof AgencyError) || error.code === 'bug') throw error
      log.info('a gate of the demonstration was already decided', { run: runId, gate: pending.gate })
    })
  return checkMs
}

const simulatedOperator: Actor = { kind: 'operator', personaId: operatorPersona }

/** Work that was not checked in a fresh checkout is accepted by a person only. */
const isDecidable = ({ status, approver, summary }: GateView): boolean =>
  status === 'pending' && approver === 'operator' && !summary.anomalies.some(hasCheckWarning)

const noteAfter = (patienceMs: number): string =>
  patienceMs === readingMs
    ? 'Simulated: the demonstration approves its own gates.'
    : `Simulated: no person decided within ${patienceMs / 1_000} s, so the demonstration approved this gate itself.`
