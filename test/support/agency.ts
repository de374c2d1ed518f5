import { createHash } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import type { z } from 'zod'

import type { Prices } from '../../src/adapters/prices/port.ts'
import type { Runtime } from '../../src/adapters/runtime/port.ts'
import type { StepInput } from '../../src/adapters/runtime/scripted/contract.ts'
import type { AgencyCall } from '../../src/adapters/runtime/scripted/in-process.ts'
import { createScriptedRuntime } from '../../src/adapters/runtime/scripted/runtime.ts'
import { type Agency, composeAgency, type Parts } from '../../src/compose.ts'
import { partOf } from '../../src/daemon/attempt-output.ts'
import { openStore } from '../../src/db/open.ts'
import type { Db } from '../../src/db/port.ts'
import type { Engine } from '../../src/engine/loop/engine.ts'
import type { Notice } from '../../src/work/scope.ts'
import { createHeartbeat, type HeartbeatDeps } from '../../src/engine/loop/heartbeat.ts'
import {
  laterThrough,
  wakeChecks,
  wakeDecisions,
  wakeGates,
  wakeQuestions,
  wakeRuns,
  wakeSteps,
} from '../../src/engine/loop/wakes.ts'
import { auditEvents } from '../../src/events/audit.ts'
import type { Event } from '../../src/events/contract.ts'
import { replayEvents } from '../../src/events/replay.ts'
import { readStreamPage } from '../../src/events/store.ts'
import { createJobs, type Jobs } from '../../src/jobs/queue.ts'
import type { AgentActor } from '../../src/kernel/actor.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { AgencyError } from '../../src/kernel/errors.ts'
import { type Ids, systemIds, systemPersona } from '../../src/kernel/ids.ts'
import { noChaos, type ChaosPoint, type ChaosPointName } from '../../src/kernel/chaos-point.ts'
import { fromWire } from '../../src/operations/wire.ts'
import { createFileProjections, type FileProjection } from '../../src/projections/files.ts'
import type { StepHandlers } from '../../src/work/run-steps/apply.ts'
import type { Playbook } from '../../src/playbooks/contract.ts'
import { seedOrganisation } from '../../src/org/seed.ts'
import type { Repositories } from '../../src/repositories/port.ts'
import { eventTables } from '../../src/tables.ts'
import { type Attempt, Report } from '../../src/work/attempts/contract.ts'
import { findAttempt } from '../../src/work/attempts/store.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { CreateRun, type Run } from '../../src/work/runs/contract.ts'
import type { RunDefaults } from '../../src/work/runs/service.ts'
import { createMemoryWorkspaces, type MemoryWorkspaces } from '../../src/workspaces/memory.ts'
import type { Workspaces } from '../../src/workspaces/port.ts'
import { createGates, type Gates } from './gates.ts'
import { bundledPrompt } from './prompts.ts'
import { createSeenLog, type LogLineSeen } from './server.ts'
import { type FreshStore, type OpenFresh, testChainKey } from './store.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'
import { operator, plainDefaults } from './work.ts'
import { enlistWorker } from './worker.ts'
import type { AttemptFiles } from '../../src/work/attempts/files.ts'

export interface AgencyOptions {
  /** Default: SQLite in memory. */
  db?: Db
  clock?: VirtualClock
  ids?: Ids
  slots?: number
  /** Further runtimes; one named `scripted` replaces the scripted runtime. */
  runtimes?: readonly Runtime[]
  workspaces?: Workspaces
  missionWorkspaces?: Parts['missionWorkspaces']
  /** Copies of produced files; without it, none are kept. */
  kept?: Parts['kept']
  repositories?: Repositories
  hostChecks?: Parts['hostChecks']
  /** The text of the personas that are cast; without it, none has one. */
  personaText?: Parts['personaText']
  policyOf?: Parts['policyOf']
  /** Further playbooks; one with the name of a product playbook replaces it. */
  playbooks?: readonly Playbook[]
  stepHandlers?: Partial<StepHandlers>
  /** Default: the prompts of the product. */
  promptOf?: Parts['promptOf']
  prices?: Prices
  worker?: string
  /** Sends notifications through these jobs; without it they are only listed in `notices`. */
  notifyThrough?: (jobs: Jobs) => NonNullable<Parts['notify']>
  chaosPoint?: ChaosPoint
  /** Makes the process send heartbeats; called when another one has registered under its id. */
  superseded?: () => void
  /** Called while the engine ends the agents of an earlier process. */
  killSurvivors?: (attemptIds: readonly string[]) => Promise<void>
  listSurvivors?: Parts['listSurvivors']
  /** Files that show rows of the store. */
  projections?: readonly FileProjection[]
  /** The default runtime of runs. */
  runtime?: string | null
  /** Further defaults of runs. */
  defaults?: Partial<RunDefaults>
  /** The default team of tiered runs. */
  homeTeam?: Parts['homeTeam']
  /** Where the daemon runs. */
  place?: Parts['place']
  /** Set by tests that provoke failures, which the engine logs as errors. */
  mayLogErrors?: boolean
}

export type StartRun = Partial<z.input<typeof CreateRun>> & {
  /** The steps of the run's agents, attempt by attempt; the last entry repeats. */
  play?: readonly (readonly StepInput[])[]
}

export interface TestAgency extends Agency {
  readonly db: Db
  readonly clock: VirtualClock
  readonly workspaces: MemoryWorkspaces
  readonly logged: LogLineSeen[]
  /** Prompts by attempt id. */
  readonly prompts: ReadonlyMap<string, string>
  /** System prompts by attempt id; a test may change them, as somebody may change the files. */
  readonly systemPrompts: Map<string, string>
  readonly outputs: ReadonlyMap<string, string>
  /** Ids of attempts whose surviving processes the engine searched for. */
  readonly soughtSurvivors: string[]
  /** Notices sent to people. */
  readonly notices: readonly Notice[]
  /** Advances the clock, and at each timer waits for the jobs that it started. */
  pass(ms: number): Promise<void>
  /** A point at which agents wait until the test opens it: the step `{ log: 'gate <name>' }`. */
  readonly gate: Gates['gate']
  /** Creates a run as the API does after parsing its input. */
  run(input?: StartRun): Promise<Run>
  /** Resolves with the run when it has ended. */
  settled(run: { id: string }): Promise<Run>
  /** Calls `look` after every commit until it returns a value; resolves with the value. */
  until<T>(look: () => Promise<T | null | undefined | false>): Promise<T>
  inspect(run: { id: string }): ReturnType<Agency['runs']['inspect']>
  events(run: { id: string }): Promise<Event[]>
  brief(run: { id: string }, key?: string): Promise<HeldBrief>
  /** Resolves when the engine has passed this point `times` times since it was created. */
  passed(point: ChaosPointName, times?: number): Promise<void>
  /** Cuts the engine off from the store, as kill -9 would. */
  die(): void
}

/**
 * Opens the product without its edges: store, engine, services, and scripted agents in this process. Time passes only
 * when the test advances it. At the end of the test the engine is stopped; audit and replay must have no findings, and
 * the log no errors.
 */
export async function openAgency(options: AgencyOptions = {}): Promise<TestAgency> {
  const clock = options.clock ?? createVirtualClock()
  const store = options.db ?? (await openMemoryStore(clock))
  await seedOrganisation(store)
  const { db, die, isDead } = mortal(store)
  const worker = options.worker ?? 'test:1'
  await enlistWorker(store, worker)
  const logged: LogLineSeen[] = []
  const { files, prompts, systemPrompts, outputs } = rememberingFiles()
  const workspaces = createMemoryWorkspaces()
  const soughtSurvivors: string[] = []
  const gates = createGates()
  const points = createPoints(options.chaosPoint ?? noChaos)
  const call: AgencyCall = (request) => answer(db, agency, gates, request)
  const ids = options.ids ?? systemIds
  const jobs = createJobs({ db, clock, ids, worker, chaosPoint: points.chaosPoint })
  const notices: Notice[] = []
  const send = options.notifyThrough?.(jobs)
  const composed = composeAgency({
    db,
    clock,
    ids,
    log: createSeenLog(logged),
    chaosPoint: points.chaosPoint,
    runtimes: [createScriptedRuntime({ host: 'in-process', clock, call }), ...(options.runtimes ?? [])],
    workspaces: options.workspaces ?? workspaces,
    ...(options.repositories === undefined ? {} : { repositories: options.repositories }),
    ...(options.missionWorkspaces === undefined ? {} : { missionWorkspaces: options.missionWorkspaces }),
    ...(options.kept === undefined ? {} : { kept: options.kept }),
    ...(options.hostChecks === undefined ? {} : { hostChecks: options.hostChecks }),
    ...(options.personaText === undefined ? {} : { personaText: options.personaText }),
    ...(options.policyOf === undefined ? {} : { policyOf: options.policyOf }),
    ...(options.prices === undefined ? {} : { prices: options.prices }),
    ...(options.playbooks === undefined ? {} : { playbooks: options.playbooks }),
    ...(options.stepHandlers === undefined ? {} : { stepHandlers: options.stepHandlers }),
    files,
    promptOf: options.promptOf ?? bundledPrompt,
    environmentOf: (attemptId, fence) => ({ AGENCY_TOKEN: `${attemptId}.${fence}` }),
    killSurvivors: async (attemptIds) => {
      await options.killSurvivors?.(attemptIds)
      return soughtSurvivors.push(...attemptIds)
    },
    ...(options.listSurvivors === undefined ? {} : { listSurvivors: options.listSurvivors }),
    alsoSweep: () => jobs.sweep(),
    notify: async (tx, notice) => {
      await send?.(tx, notice)
      tx.afterCommit(() => notices.push(notice))
    },
    later: laterThrough(jobs),
    worker,
    slots: options.slots ?? 8,
    ...(options.homeTeam === undefined ? {} : { homeTeam: options.homeTeam }),
    ...(options.place === undefined ? {} : { place: options.place }),
    defaults: {
      runtime: options.runtime === undefined ? 'scripted' : options.runtime,
      ...plainDefaults,
      ...options.defaults,
    },
  })
  if (options.projections !== undefined)
    createFileProjections({ db, jobs, log: createSeenLog(logged) }, options.projections)
  wakeGates(jobs, composed.gates)
  wakeDecisions(jobs, composed.decisions)
  wakeQuestions(jobs, composed.questions)
  wakeRuns(jobs, composed.engine)
  wakeChecks(jobs, composed.repositorySettings)
  wakeSteps(jobs, composed.runSteps)
  const beating: Engine =
    options.superseded === undefined
      ? composed.engine
      : withHeartbeat(composed.engine, {
          db,
          worker,
          clock,
          log: createSeenLog(logged),
          superseded: options.superseded,
        })
  const { engine, started } = withJobs(beating, jobs)
  const agency: Agency = { ...composed, engine }

  onTestFinished(async () => {
    gates.openAll()
    if (!isDead()) await agency.engine.stop()
    expect((await auditEvents(store)).findings).toEqual([])
    expect((await replayEvents(store, eventTables)).differences).toEqual([])
    if (options.mayLogErrors !== true) expect(logged.filter((line) => line.level === 'error')).toEqual([])
  })

  return {
    ...agency,
    db,
    clock,
    workspaces,
    logged,
    prompts,
    systemPrompts,
    outputs,
    soughtSurvivors,
    notices,
    pass: async (ms) => {
      await started()
      for (let left = ms; ;) {
        const step = Math.min(clock.untilNext() ?? left, left)
        clock.advance(step)
        await jobs.settled()
        left -= step
        if (left === 0) return
      }
    },
    gate: gates.gate,
    passed: points.passed,
    run: (input) => agency.runs.create(operator, startRun(input)),
    settled: (run) =>
      until(store, async () => {
        const found = await agency.runs.show(run.id)
        return found.endedAt === null ? null : found
      }),
    until: (look) => until(store, look),
    inspect: (run) => agency.runs.inspect(run.id, 1_000),
    events: (run) => store.read(async (tx) => (await readStreamPage(tx, `run:${run.id}`, { limit: 100_000 })).events),
    brief: async (run, key = 'main') => {
      const found = (await agency.runs.inspect(run.id, 0)).briefs.find((brief) => brief.key === key)
      if (found === undefined) throw new Error(`no brief "${key}"`)
      return found
    },
    die,
  }
}

/** Sends heartbeats from the start to the end of an engine. */
function withHeartbeat(engine: Engine, parts: Omit<HeartbeatDeps, 'engine'>): Engine {
  const heart = createHeartbeat({ ...parts, engine })
  return {
    ...engine,
    start: () => {
      heart.start()
      return engine.start()
    },
    stop: () => {
      heart.stop()
      return engine.stop()
    },
  }
}

/** Starts and stops the jobs (timers that outlive a process) with the engine, which does not wait for them. */
function withJobs(engine: Engine, jobs: Jobs): { engine: Engine; started(): Promise<void> } {
  let starting: Promise<void> = Promise.resolve()
  return {
    started: () => starting,
    engine: {
      ...engine,
      async start() {
        await engine.start()
        starting = jobs.start()
      },
      async stop() {
        await engine.stop()
        await starting
        await jobs.stop()
      },
    },
  }
}

/** Opens the product on a store of its own and starts the engine. */
export async function startAgency(
  openFresh: OpenFresh,
  options: AgencyOptions = {},
): Promise<TestAgency & { store: FreshStore }> {
  const clock = options.clock ?? createVirtualClock()
  const store = await openFresh({ clock })
  const agency = await openAgency({ db: store.db, ...options, clock })
  await agency.engine.start()
  return { ...agency, store }
}

const openMemoryStore = async (clock: Clock): Promise<Db> => {
  const db = await openStore({ kind: 'sqlite', path: ':memory:' }, { clock, chainKey: testChainKey })
  onTestFinished(() => db.close())
  return db
}

/** Steps of an agent that writes a file and reports it: the default of every run. */
export const work: readonly StepInput[] = [
  { write: { path: 'result.md', text: 'Done.\n' } },
  { report: { status: 'done', summary: 'Done.', outputs: ['result.md'] } },
]

/** The same for several attempts, each of which writes another text: unchanged work is not judged again. */
export const reworked: readonly (readonly StepInput[])[] = [
  work,
  ...Array.from({ length: 9 }, (_, index): StepInput[] => [
    { write: { path: 'result.md', text: `Done for the ${index + 2}. time.\n` } },
    { report: { status: 'done', summary: 'Done.', outputs: ['result.md'] } },
  ]),
]

/** The entries of a verdict for files that a scripted verifier opens. */
export const opened = (...paths: readonly string[]) => paths.map((path) => ({ path, sha256: 'computed' }))

export const startRun = ({ play, ...input }: StartRun = {}): CreateRun =>
  CreateRun.parse({ goal: 'Do it', runtimeOptions: { scenario: { attempts: play ?? [work] } }, ...input })

/** Returns the actor that the server derives from an attempt's token. */
export const agentOf = (attempt: Attempt, fence = attempt.fence): AgentActor =>
  ({
    kind: 'agent',
    personaId: systemPersona,
    agentId: attempt.agentId,
    runId: attempt.runId,
    briefId: attempt.briefId,
    attemptId: attempt.id,
    fence,
  }) as AgentActor

export async function until<T>(db: Db, look: () => Promise<T | null | undefined | false>): Promise<T> {
  for (;;) {
    // Subscribe before the lookup, so that a commit between the two is not missed.
    const committed = Promise.withResolvers<void>()
    const stopListening = db.onCommit(() => committed.resolve())
    try {
      const found = await look()
      if (found !== null && found !== undefined && found !== false) return found
      await committed.promise
    } finally {
      stopListening()
    }
  }
}

function createPoints(then: ChaosPoint): { chaosPoint: ChaosPoint; passed: TestAgency['passed'] } {
  const counts = new Map<ChaosPointName, number>()
  const waiting = new Set<{ point: ChaosPointName; times: number; resolve: () => void }>()
  return {
    chaosPoint: (point) => {
      const count = (counts.get(point) ?? 0) + 1
      counts.set(point, count)
      for (const each of waiting) if (each.point === point && each.times <= count) each.resolve()
      then(point)
    },
    passed: (point, times = 1) => {
      if ((counts.get(point) ?? 0) >= times) return Promise.resolve()
      return new Promise((resolve) => waiting.add({ point, times, resolve }))
    },
  }
}

/** Wraps a store so that the process can be cut off from it: later calls never settle. */
function mortal(store: Db): { db: Db; die(): void; isDead(): boolean } {
  let dead = false
  const never = new Promise<never>(() => {})
  const alive = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (dead) return never
    const answered = await ask()
    return dead ? never : answered
  }
  return {
    db: {
      ...store,
      write: (streams, body) => alive(() => store.write(streams, body)),
      read: (body) => alive(() => store.read(body)),
      writeApart: (body) => alive(() => store.writeApart(body)),
      onCommit: (listener) => store.onCommit((commit) => dead || listener(commit)),
    },
    die: () => {
      dead = true
    },
    isDead: () => dead,
  }
}

function rememberingFiles() {
  const prompts = new Map<string, string>()
  const systemPrompts = new Map<string, string>()
  const outputs = new Map<string, string>()
  const files: AttemptFiles = {
    writePrompts: async (attemptId, { prompt, systemPrompt }) => {
      prompts.set(attemptId, prompt)
      if (systemPrompt !== null) systemPrompts.set(attemptId, systemPrompt)
      return {
        promptSha256: sha256Of(prompt),
        systemPromptSha256: systemPrompt === null ? null : sha256Of(systemPrompt),
      }
    },
    readPrompts: async (attemptId) => ({
      prompt: storedOf(prompts.get(attemptId)),
      systemPrompt: storedOf(systemPrompts.get(attemptId)),
    }),
    openOutput: async (attemptId) => ({
      append: (text) => void outputs.set(attemptId, (outputs.get(attemptId) ?? '') + text),
      close: async () => {},
    }),
    readOutput: async (attemptId, after) => {
      const kept = Buffer.from(outputs.get(attemptId) ?? '')
      return partOf(kept.subarray(after ?? 0), after ?? 0, kept.length, after)
    },
  }
  return { files, prompts, systemPrompts, outputs }
}

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex')
const storedOf = (text: string | undefined) => (text === undefined ? null : { text, sha256: sha256Of(text) })

/** Answers the two requests that a scripted agent sends to Agency, without a server in between. */
async function answer(
  db: Db,
  agency: Agency,
  gates: Gates,
  { path, body, environment }: Parameters<AgencyCall>[0],
): ReturnType<AgencyCall> {
  if (path === '/api/events') {
    await gates.pass((body as { message: string }).message)
    return { status: 200, body: {} }
  }
  const [attemptId = '', fence] = (environment['AGENCY_TOKEN'] ?? '').split('.')
  const attempt = await db.read((tx) => findAttempt(tx, attemptId))
  const report = Report.safeParse(fromWire(Report, body))
  if (attempt === undefined || !report.success) return { status: attempt === undefined ? 401 : 400, body: {} }
  try {
    return { status: 200, body: await agency.attempts.report(agentOf(attempt, Number(fence)), report.data) }
  } catch (error) {
    if (error instanceof AgencyError) return { status: 409, body: { code: error.code } }
    throw error
  }
}
