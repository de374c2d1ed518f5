import type { ReadTx, Tx } from '../../db/port.ts'
import type { ResolvedTeam } from '../../team/contract.ts'
import { countLiveByTier } from '../../work/attempts/store.ts'
import type { Brief, Tier } from '../../work/briefs/contract.ts'
import type { FullTier } from '../../work/briefs/ready-store.ts'
import type { Run } from '../../work/runs/contract.ts'
import { findRun } from '../../work/runs/store.ts'

/**
 * Returns the briefs, in their order, that fit into the limits of their run. Exact, because the caller holds the run's
 * stream.
 */
export async function withinCaps(tx: Tx, run: Run, briefs: readonly Brief[]): Promise<Brief[]> {
  const limits = run.configuration.team?.limits
  if (limits === undefined || briefs.length === 0) return [...briefs]
  const live = await countLiveByTier(tx, run.id)
  return briefs.filter(({ tier }) => {
    if (!hasRoom(limits, live, tier)) return false
    live.set(tier, (live.get(tier) ?? 0) + 1)
    return true
  })
}

type Limits = Pick<ResolvedTeam['limits'], 'maxParallelAgents' | 'maxParallel'>
type Live = ReadonlyMap<string | null, number>

/** The maximum number of runs in the cache; others are read from the store again. */
const maxKnown = 1_000

/** Remembers the limits of runs, to tell which runs and tiers are full. */
export function createCaps() {
  /** A run's limits never change. */
  const known = new Map<string, Limits | null>()

  async function limitsOf(tx: ReadTx, runId: string): Promise<Limits | null> {
    const before = known.get(runId)
    if (before !== undefined) return before
    const limits = (await readRun(tx, runId))?.configuration.team?.limits ?? null
    if (known.size >= maxKnown) known.clear()
    known.set(runId, limits)
    return limits
  }

  async function fullOf(tx: ReadTx, runId: string, tiers: ReadonlySet<Tier | null>): Promise<FullTier[]> {
    const limits = await limitsOf(tx, runId)
    if (limits === null) return []
    const live = await countLiveByTier(tx, runId)
    if (allOf(live) >= limits.maxParallelAgents) return [{ runId, tier: null }]
    return [...tiers].flatMap((tier) => (hasRoom(limits, live, tier) ? [] : [{ runId, tier }]))
  }

  return {
    /** Returns those of the places that are full. */
    async fullAmong(tx: ReadTx, places: readonly FullTier[]): Promise<FullTier[]> {
      const found: FullTier[] = []
      for (const [runId, each] of Map.groupBy(places, (place) => place.runId))
        found.push(...(await fullOf(tx, runId, new Set(each.map(({ tier }) => tier)))))
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

const hasRoom = ({ maxParallelAgents, maxParallel }: Limits, live: Live, tier: Tier | null): boolean => {
  const most = tier === null ? null : maxParallel[tier]
  return allOf(live) < maxParallelAgents && (most === null || (live.get(tier) ?? 0) < most)
}

const allOf = (live: Live): number => [...live.values()].reduce((sum, count) => sum + count, 0)
