import type { AgentHandle } from '../../src/adapters/runtime/port.ts'
import type { Agency } from '../../src/compose.ts'
import type { Db } from '../../src/db/port.ts'
import { createIds, type Ids } from '../../src/kernel/ids.ts'
import { createMemoryWorkspaces, type MemoryWorkspaces } from '../../src/workspaces/memory.ts'
import type { Workspace, Workspaces } from '../../src/workspaces/port.ts'
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts'
import { type Acts, createActs } from './acts.ts'
import { createHistory, type History } from './history.ts'
import { createRandom, type Random } from './random.ts'
import { openSimStore, type SimStore } from './store.ts'
import { drawFaultRates, type FaultRates } from './fault-rates.ts'

/** busy: all faults occur. silent: no actions, no faults. diligent: agents and people do their best. */
export type Phase = 'busy' | 'silent' | 'diligent'

export interface Failure {
  readonly invariant: string
  readonly detail: string
}

/** One process of the daemon, from its start to its death. */
export interface Life {
  readonly boot: number
  readonly agency: Agency
  /** The store as this process reaches it. */
  readonly db: Db
  isDead(): boolean
  /** Ends the process as kill -9 does: nothing of it has an effect any more. */
  die(how: string): void
  /** Ends the process as SIGTERM does. */
  stop(): Promise<void>
}

/**
 * Everything that outlives the daemon: time, store, files, agents, people, random numbers; and the record of events.
 */
export interface World {
  readonly seed: number
  readonly random: Random
  readonly rates: FaultRates
  readonly clock: VirtualClock
  readonly ids: Ids
  readonly store: SimStore
  readonly db: Db
  readonly workspaces: Workspaces
  /** Workspaces by brief id, for checks that bypass the product. */
  readonly files: ReadonlyMap<string, Workspace>
  /** Agents that still exist, by attempt. */
  readonly agents: Map<string, AgentHandle>
  readonly history: History
  readonly acts: Acts
  /** Number of faults by kind. */
  readonly faults: Map<string, number>
  phase: Phase
  /** The running daemon; null while there is none. */
  life: Life | null
  boots: number
  failure: Failure | null
  fault(kind: string): void
  /** Records a failure. Only the first one counts, because later ones may follow from it. */
  fail(invariant: string, detail: string): void
}

export async function createWorld(seed: number): Promise<World> {
  const random = createRandom(seed)
  const clock = createVirtualClock()
  const store = await openSimStore(clock)
  const { workspaces, files } = openWorkspaces()
  const faults = new Map<string, number>()
  const world: World = {
    seed,
    random,
    // The subject is part of every seed: another word would change all draws.
    rates: drawFaultRates(random.about('temper')),
    clock,
    ids: createIds(random.about('ids').bytes, clock),
    store,
    db: store.db,
    workspaces,
    files,
    agents: new Map(),
    history: createHistory(store.db, (invariant, detail) => world.fail(invariant, detail)),
    acts: createActs(),
    faults,
    phase: 'busy',
    life: null,
    boots: 0,
    failure: null,
    fault: (kind) => void faults.set(kind, (faults.get(kind) ?? 0) + 1),
    fail(invariant, detail) {
      world.failure ??= { invariant, detail }
    },
  }
  return world
}

function openWorkspaces(): { workspaces: MemoryWorkspaces; files: Map<string, Workspace> } {
  const memory = createMemoryWorkspaces()
  memory.answer('look', (files) => ({ exitCode: files.size > 0 ? 0 : 1, output: [...files.keys()].join('\n') }))
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
    },
  }
}
