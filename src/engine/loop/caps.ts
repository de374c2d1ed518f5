import type { ReadTx } from '../../db/port.ts'
import type { Caps as Limits, Playbook } from '../../playbooks/contract.ts'
import { countLiveByKey } from '../../work/attempts/store.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { FullKey } from '../../work/briefs/ready-store.ts'
import type { Run } from '../../work/runs/contract.ts'
import { findRun } from '../../work/runs/store.ts'
import type { RunScope } from '../../work/scope.ts'

/**
 * Returns the briefs, in their order, that fit into the limits of their run. Exact, because the caller holds the run's
 * stream.
 */
export async function withinCaps({ tx, run, playbook }: RunScope, briefs: readonly Brief[]): Promise<Brief[]> {
  const limits = playbook.caps?.(run) ?? null
  if (limits === null || briefs.length === 0) return [...briefs]
  const live = await countLiveByKey(tx, run.id)
  return briefs.filter(({ capKey }) => {
    if (!hasRoom(limits, live, capKey)) return false
    live.set(capKey, (live.get(capKey) ?? 0) + 1)
    return true
  })
}

type Live = ReadonlyMap<string | null, number>

/** The maximum number of runs in the cache; others are read from the store again. */
const maxKnown = 1_000

/** Remembers the limits of runs, to tell which runs and cap keys are full. */
export function createCaps(playbooks: ReadonlyMap<string, Playbook>) {
  /** A run's limits never change. */
  const known = new Map<string, Limits | null>()

  async function limitsOf(tx: ReadTx, runId: string): Promise<Limits | null> {
    const before = known.get(runId)
    if (before !== undefined) return before
    const run = await readRun(tx, runId)
    const limits = run === undefined ? null : capsOf(playbooks.get(run.playbook), run)
    if (limits === undefined) return null
    if (known.size >= maxKnown) known.clear()
    known.set(runId, limits)
    return limits
  }

  async function fullOf(tx: ReadTx, runId: string, keys: ReadonlySet<string | null>): Promise<FullKey[]> {
    const limits = await limitsOf(tx, runId)
    if (limits === null) return []
    const live = await countLiveByKey(tx, runId)
    if (allOf(live) >= limits.all) return [{ runId, capKey: null }]
    return [...keys].flatMap((capKey) => (hasRoom(limits, live, capKey) ? [] : [{ runId, capKey }]))
  }

  return {
    /** Returns those of the places that are full. */
    async fullAmong(tx: ReadTx, places: readonly FullKey[]): Promise<FullKey[]> {
      const found: FullKey[] = []
      for (const [runId, each] of Map.groupBy(places, (place) => place.runId))
        found.push(...(await fullOf(tx, runId, new Set(each.map(({ capKey }) => capKey)))))
      return found
    },
  }
}

/** A run that cannot be read must not end the search for all of them: its claim fails on its own. */
const readRun = (tx: ReadTx, runId: string): Promise<Run | undefined> =>
  findRun(tx, runId).catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined
    throw error
  })

/** Returns undefined if the playbook fails: that must not end the search for all runs either. */
function capsOf(playbook: Playbook | undefined, run: Run): Limits | null | undefined {
  try {
    return playbook?.caps?.(run) ?? null
  } catch {
    return undefined
  }
}

const hasRoom = ({ all, byKey }: Limits, live: Live, capKey: string | null): boolean => {
  const most = capKey === null ? null : (byKey[capKey] ?? null)
  return allOf(live) < all && (most === null || (live.get(capKey) ?? 0) < most)
}

const allOf = (live: Live): number => [...live.values()].reduce((sum, count) => sum + count, 0)
