import { notifierName, type NotifierSettings } from '../adapters/notify/contract.ts'
import type { ConfiguredNotifier } from '../adapters/notify/port.ts'
import type { ReadTx } from '../db/port.ts'
import type { Clock } from '../kernel/clock.ts'
import { findRun } from '../work/runs/store.ts'
import { createOutlets, type Outlets } from './notifier-group.ts'

/** One that is forgotten is made again; all that is lost is how often it has failed. */
const maxKnown = 200

/** The notifiers that a run's own team brings; null: none. Their names cannot be taken for those of the installation. */
export function createTeamOutlets(make: (entries: readonly NotifierSettings[]) => ConfiguredNotifier[], clock: Clock) {
  const known = new Map<string, Outlets | null>()
  return async (tx: ReadTx, runId: string | null): Promise<Outlets | null> => {
    if (runId === null) return null
    const before = known.get(runId)
    if (before !== undefined) return before
    const entries = (await findRun(tx, runId))?.configuration.team?.notify ?? []
    const named = entries.map((entry) => ({ ...entry, name: `team-${notifierName(entry)}` }))
    const outlets = named.length === 0 ? null : createOutlets(make(named), clock)
    if (known.size >= maxKnown) known.clear()
    known.set(runId, outlets)
    return outlets
  }
}
