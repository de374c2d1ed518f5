import type { AgentHandle, ModelUsage } from '../../src/adapters/runtime/port.ts'
import type { Agency } from '../../src/compose.ts'
import type { Commit, Db } from '../../src/db/port.ts'
import type { Jobs } from '../../src/jobs/queue.ts'
import { sleep } from '../../src/kernel/clock.ts'
import { createIds, type Ids } from '../../src/kernel/ids.ts'
import type { Log } from '../../src/kernel/log.ts'
import { createMemoryWorkspaces, type MemoryWorkspaces } from '../../src/workspaces/memory.ts'
import type { Workspace, Workspaces } from '../../src/workspaces/port.ts'
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts'
import { type Acts, createActs } from './acts.ts'
import { createHistory, type History } from './history.ts'
import { createRandom, type Random } from './random.ts'
import { openSimStore, type SimStore } from './store.ts'
import { drawFaultRates, type FaultRates } from './fault-rates.ts'
import type { SimGit } from './repositories/git.ts'
import { openGit, type WithGit } from './repositories/open.ts'
import { makeLeadSeat } from './lead/seat.ts'
import type { Freeze } from './workers/freeze.ts'
import { drawWorkerRates, type WorkerRates } from './workers/rates.ts'

/** busy: all faults occur. silent: no actions, no faults. diligent: agents and people do their best. */
export type Phase = 'busy' | 'silent' | 'diligent'

export interface Failure {
  readonly invariant: string
  readonly detail: string
}

/** One process of the daemon, from its start to its death. */
export interface Life {
  readonly boot: number
  /** `<id>:<boot>`, as attempts name it. */
  readonly worker: string
  /** Where its agents reach it, also after a restart. */
  readonly socket: string
  readonly process: LifeProcess
  readonly beganMs: number
  readonly agency: Agency
  readonly jobs: Jobs
  /** The number of agents that may work in it at once. */
  readonly slots: number
  readonly log: Log
  /** When the last successful heartbeat was sent; null if the process sends none. */
  readonly beatMs: (() => number) | null
  /** The store as this process reaches it. */
  readonly db: Db
  /** True from SIGTERM on, until the last job that runs in it has ended. */
  isStopping: boolean
  isDead(): boolean
  /** Ends the process as kill -9 does: nothing of it has an effect any more. */
  die(how: string): void
  /** Ends the process as SIGTERM does. */
  stop(): Promise<void>
}

/** The process of a life, as far as others have to do with it. */
export interface LifeProcess {
  readonly freeze: Freeze
  readonly launched: ReadonlySet<string>
  /** Waits while the process is halted; never resolves when it is dead. */
  alive<T>(ask: () => Promise<T>): Promise<T>
  isCut(): boolean
  cut(isCut: boolean): void
  jump(ms: number): void
  /** Since when the process runs and reaches the store; now, if it does not. */
  soundSinceMs(): number
}

/** One run of a job by a process. */
export interface ErrandRun {
  readonly life: Life
  readonly beganMs: number
  isOver: boolean
}

/** The model calls that an agent made, and whether the daemon that followed it died before it had recorded them. */
export interface PlayedCalls {
  readonly calls: ModelUsage[]
  isCutOff: boolean
}

/**
 * Everything that outlives the daemon: time, store, files, agents, people, random numbers; and the record of events.
 */
export interface World {
  readonly seed: number
  readonly random: Random
  readonly rates: FaultRates
  readonly workerRates: WorkerRates
  readonly clock: VirtualClock
  readonly ids: Ids
  readonly store: SimStore
  readonly db: Db
  readonly workspaces: Workspaces
  /** The seat that leads the organisation of all runs; null: there is none. */
  readonly leadSeat: number | null
  /** Null: no run has a repository. */
  readonly git: SimGit | null
  /** Workspaces by brief id, for checks that bypass the product. */
  readonly files: ReadonlyMap<string, Workspace>
  /** Agents that still exist, by attempt. */
  readonly agents: Map<string, AgentHandle>
  /** Attempts whose agents cannot be killed. */
  readonly escaped: Set<string>
  /** The model calls that agents made, by attempt. */
  readonly played: Map<string, PlayedCalls>
  readonly history: History
  /** The check that no ready run waits for long. */
  fairness: { check(): void } | null
  readonly acts: Acts
  /** Number of faults by kind. */
  readonly faults: Map<string, number>
  phase: Phase
  /** The running processes, in the order of their starts. */
  lives: readonly Life[]
  /** The notifications of commits to processes that share the store. */
  readonly hearers: Set<(commit: Commit) => void>
  /** The boot of the process that wrote an event, by stream and number in it; only if processes share the store. */
  readonly writers: Map<string, number>
  /** The last run of each job that was requested beside those of runs. */
  readonly errands: Map<string, ErrandRun>
  boots: number
  failure: Failure | null
  fault(kind: string): void
  /** Records a failure. Only the first one counts, because later ones may follow from it. */
  fail(invariant: string, detail: string): void
  /** Returns the process that a person or a client reaches; null while there is none. */
  reach(): Life | null
}

export interface WorldOptions {
  /** Leaves out the kinds of faults that were added later. */
  readonly isPlain?: boolean
  /** The number of processes that share the store; drawn without it, and 1 with repositories. */
  readonly workers?: number | undefined
  /** Gives runs repositories. */
  readonly withGit?: WithGit
  /** Gives the organisation a lead, which is an agent that answers questions, and agents more to ask. */
  readonly withLead?: boolean
}

export async function createWorld(
  seed: number,
  { isPlain = false, workers, withGit = false, withLead = false }: WorldOptions = {},
): Promise<World> {
  const random = createRandom(seed)
  const clock = createVirtualClock()
  const store = await openSimStore(clock)
  // The subject is part of every seed: another word would change all draws.
  const rates = drawFaultRates(random.about('temper'), isPlain)
  const git = openGit(withGit, random.about('git'), clock)
  const { workspaces, files } = openWorkspaces(clock, random, rates, git?.workspaces ?? createPlainWorkspaces())
  const faults = new Map<string, number>()
  const reached = random.about('reached')
  const world: World = {
    seed,
    random,
    rates,
    workerRates: drawWorkerRates(random.about('workers'), workers ?? (isPlain || withGit !== false ? 1 : null)),
    clock,
    ids: createIds(random.about('ids').bytes, clock),
    store,
    db: store.db,
    leadSeat: withLead ? await makeLeadSeat(store.db) : null,
    workspaces,
    git,
    files,
    agents: new Map(),
    escaped: new Set(),
    played: new Map(),
    history: createHistory(store.db, (invariant, detail) => world.fail(invariant, detail)),
    fairness: null,
    acts: createActs(),
    faults,
    phase: 'busy',
    lives: [],
    hearers: new Set(),
    writers: new Map(),
    errands: new Map(),
    boots: 0,
    failure: null,
    fault: (kind) => void faults.set(kind, (faults.get(kind) ?? 0) + 1),
    fail(invariant, detail) {
      world.failure ??= { invariant, detail }
    },
    reach: () => (world.lives.length > 1 ? reached.pick(world.lives) : (world.lives[0] ?? null)),
  }
  return world
}

function createPlainWorkspaces(): MemoryWorkspaces {
  const memory = createMemoryWorkspaces()
  memory.answer('look', (files) => ({ exitCode: files.size > 0 ? 0 : 1, output: [...files.keys()].join('\n') }))
  return memory
}

function openWorkspaces(
  clock: VirtualClock,
  random: Random,
  rates: FaultRates,
  memory: Workspaces,
): { workspaces: Workspaces; files: Map<string, Workspace> } {
  const files = new Map<string, Workspace>()
  return {
    files,
    workspaces: {
      ...memory,
      prepare: async (brief) => {
        const workspace = await memory.prepare(brief)
        files.set(brief.id, workspace)
        return workspace
      },
      checkout: async (request) => {
        const checkout = await memory.checkout(request)
        return { ...checkout, run: slowly(checkout, clock, random.about(`check ${request.id}`), rates) }
      },
    },
  }
}

/**
 * Runs commands of evidence that take time and write files: into their checkout, where a later attempt must not find
 * them.
 */
const slowly =
  (checkout: Workspace, clock: VirtualClock, random: Random, { slowEvidence }: FaultRates): Workspace['run'] =>
  async (command, limits) => {
    if (!random.chance(slowEvidence)) return checkout.run(command, limits)
    await Promise.race([sleep(clock, random.between(1, 120_000)), untilAborted(limits.signal)])
    const result = await checkout.run(command, limits)
    for (const name of result.output.split('\n')) if (name !== '') await checkout.write(name, 'changed by a check\n')
    return result
  }

const untilAborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
