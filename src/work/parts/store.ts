import { columns, integer, oneOf, optional, text } from '../../db/columns.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import { type BriefStatus, briefStatuses } from '../briefs/states.ts'
import { type Part, partStatuses, type Tally } from './contract.ts'

export const parts = table<Part>('parts', {
  key: ['runId', 'key'],
  json: ['data'],
  stream: (row) => `run:${row.runId}`,
})

/** One decision asks for the same part several times, so it is found by its key, which a transaction caches. */
export const findPart = (tx: ReadTx, runId: string, key: string): Promise<Part | undefined> =>
  findRow(tx, parts, runId, key)

export const listParts = (tx: ReadTx, runId: string): Promise<Part[]> =>
  findRows(tx, parts, 'run_id = ? ORDER BY created_at, key', [runId])

export const listPartsBelow = (tx: ReadTx, runId: string, parent: string): Promise<Part[]> =>
  findRows(tx, parts, 'run_id = ? AND parent = ? ORDER BY created_at, key', [runId, parent])

/** Counts rows, so that no counter can drift. */
export async function tallyOfPart(tx: ReadTx, runId: string, part: string): Promise<Tally> {
  const rows = await tallies.all(
    sqlOf(tx),
    'SELECT phase, status, COUNT(*) AS count FROM briefs WHERE run_id = ? AND part = ? GROUP BY phase, status',
    [runId, part],
  )
  const tally: Record<string, Partial<Record<BriefStatus, number>>> = {}
  for (const { phase, status, count } of rows) {
    const counts = (tally[phase ?? ''] ??= {})
    counts[status] = count
  }
  return tally
}

const tallies = columns({ phase: optional(text), status: oneOf(briefStatuses), count: integer })

/** Counts the parts below this one by status. */
export async function countPartsBelow(
  tx: ReadTx,
  runId: string,
  parent: string,
): Promise<Partial<Record<Part['status'], number>>> {
  const rows = await partCounts.all(
    sqlOf(tx),
    'SELECT status, COUNT(*) AS count FROM parts WHERE run_id = ? AND parent = ? GROUP BY status',
    [runId, parent],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

const partCounts = columns({ status: oneOf(partStatuses), count: integer })

/** Lists the parts that wait for a merge; cancelled parts are excluded. */
export const listPartsHeldBy = (tx: ReadTx, runId: string, heldBy: string): Promise<Part[]> =>
  findRows(tx, parts, "run_id = ? AND held_by = ? AND status <> 'cancelled' ORDER BY updated_at, key", [runId, heldBy])
