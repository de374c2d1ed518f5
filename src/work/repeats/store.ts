import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, findRowsByKey, table } from '../../db/table.ts'
import type { Repeat } from './contract.ts'

export const repeats = table<Repeat>('repeats', {
  json: ['findings'],
  booleans: ['inBranch'],
  stream: (row) => `run:${row.runId}`,
})

export const findRepeat = (tx: ReadTx, id: string): Promise<Repeat | undefined> => findRow(tx, repeats, id)

/** Lists the newest repeats of a run, the newest first. */
export const listRepeats = (tx: ReadTx, runId: string, limit: number): Promise<Repeat[]> =>
  findRows(tx, repeats, `run_id = ? ORDER BY created_at DESC, id DESC ${boundLimit}`, [runId, limit])

export async function findWaitingRepeat(tx: ReadTx, runId: string): Promise<Repeat | undefined> {
  return (await findRows(tx, repeats, "run_id = ? AND status = 'waiting'", [runId]))[0]
}

/** Lists those of the given repeats that another party has ended. */
export async function listEndedRepeats(tx: ReadTx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const found = await findRowsByKey(tx, repeats, ids)
  return found.filter(({ status }) => status !== 'waiting').map(({ id }) => id)
}
