import { notifierName, type NotifierSettings } from '../adapters/notify/contract.ts'
import type { ConfiguredNotifier } from '../adapters/notify/port.ts'
import type { ReadTx } from '../db/port.ts'
import type { Clock } from '../kernel/clock.ts'
import { findRun } from '../work/runs/store.ts'
import { createNotifierGroup, type NotifierGroup } from './notifier-group.ts'

/** An evicted entry is created again; only its count of failures is lost. */
const maxKnown = 200

/**
 * Returns the notifiers of a run's own team, or null if it has none. Their prefixed names cannot be confused with those
 * of the installation.
 */
export function createTeamNotifiers(
  make: (entries: readonly NotifierSettings[]) => ConfiguredNotifier[],
  clock: Clock,
) {
  const known = new Map<string, NotifierGroup | null>()
  return async (tx: ReadTx, runId: string | null): Promise<NotifierGroup | null> => {
    if (runId === null) return null
    const before = known.get(runId)
    if (before !== undefined) return before
    const entries = (await findRun(tx, runId))?.configuration.team?.notify ?? []
    const named = entries.map((entry) => ({ ...entry, name: `team-${notifierName(entry)}` }))
    const group = named.length === 0 ? null : createNotifierGroup(make(named), clock)
    if (known.size >= maxKnown) known.clear()
    known.set(runId, group)
    return group
  }
}
