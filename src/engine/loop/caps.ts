import type { ReadTx, Tx } from '../../db/port.ts'
import type { ResolvedTeam } from '../../team/contract.ts'
import { countLiveByTier } from '../../work/attempts/store.ts'
import type { Brief, Tier } from '../../work/briefs/contract.ts'
import { findWork, type FullTier, type Work } from '../../work/briefs/store.ts'
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

export type Caps = ReturnType<typeof createCaps>

/** The maximum number of runs in the cache; others are read from the store again. */
const maxKnown = 1_000

/**
 * Finds work behind ready briefs that wait for a slot in their own run: there may be thousands of them, and briefs
 * behind them in the order must not wait too. Tiers that were full the last time are checked first, so that a round
 * usually needs one query. The result is only a guess: `withinCaps` decides.
 */
export function createCaps() {
  /** A run's limits never change. */
  const known = new Map<string, Limits | null>()
  let full: readonly FullTier[] = []

  async function limitsOf(tx: ReadTx, runId: string): Promise<Limits | null> {
    const before = known.get(runId)
    if (before !== undefined) return before
    const limits = (await findRun(tx, runId))?.configuration.team?.limits ?? null
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

  async function fullAmong(tx: ReadTx, places: readonly FullTier[]): Promise<FullTier[]> {
    const found: FullTier[] = []
    for (const [runId, each] of Map.groupBy(places, (place) => place.runId))
      found.push(...(await fullOf(tx, runId, new Set(each.map(({ tier }) => tier)))))
    return found
  }

  return {
    async findWork(tx: ReadTx, limit: number): Promise<Work> {
      full = await fullAmong(tx, full)
      for (;;) {
        const work = await findWork(tx, limit, full)
        const more = await fullAmong(
          tx,
          work.ready.filter(({ tier }) => tier !== null),
        )
        if (more.length === 0) return work
        full = [...full, ...more]
      }
    },
  }
}

const hasRoom = ({ maxParallelAgents, maxParallel }: Limits, live: Live, tier: Tier | null): boolean => {
  const most = tier === null ? null : maxParallel[tier]
  return allOf(live) < maxParallelAgents && (most === null || (live.get(tier) ?? 0) < most)
}

const allOf = (live: Live): number => [...live.values()].reduce((sum, count) => sum + count, 0)
