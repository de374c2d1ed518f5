import type { ReadTx } from '../db/port.ts'
import { findRun } from '../work/runs/store.ts'

/**
 * Returns the notifiers of the configuration that a run's team names. Runs of earlier versions may contain whole
 * definitions, which are never used: a team file may come from anybody.
 */
export async function namedByTeam(tx: ReadTx, runId: string | null): Promise<string[]> {
  const team = runId === null ? undefined : (await findRun(tx, runId))?.configuration.team
  return (team?.notify ?? []).filter((entry) => typeof entry === 'string')
}
