import { countRows } from '../../db/columns.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import { type GateRow, operator } from './contract.ts'

export const gates = table<GateRow>('gates', {
  json: ['summary', 'approvals'],
  stream: (row) => `run:${row.runId}`,
})

export const findGate = (tx: ReadTx, id: string): Promise<GateRow | undefined> => findRow(tx, gates, id)

export const listGatesOfRun = (tx: ReadTx, runId: string): Promise<GateRow[]> =>
  findRows(tx, gates, 'run_id = ? ORDER BY pending_since, id', [runId])

export const listPendingOfRun = (tx: ReadTx, runId: string): Promise<GateRow[]> =>
  findRows(tx, gates, "run_id = ? AND status = 'pending' ORDER BY pending_since, id", [runId])

/** Lists the operator's gates: gates that tiers decide among themselves wait for no one else. */
export const listGates = (tx: ReadTx, status: string, limit: number): Promise<GateRow[]> =>
  findRows(tx, gates, `status = ? AND approver = ? ORDER BY pending_since, id ${boundLimit}`, [status, operator, limit])

export const countGates = (tx: ReadTx, status: string): Promise<number> =>
  countRows(sqlOf(tx), 'SELECT COUNT(*) AS count FROM gates WHERE status = ? AND approver = ?', [status, operator])

/** Counts the rejections of a gate of this name and boundary in this run. */
export const countRejections = (tx: ReadTx, runId: string, gate: string, boundary: string): Promise<number> =>
  countRows(
    sqlOf(tx),
    "SELECT COUNT(*) AS count FROM gates WHERE run_id = ? AND gate = ? AND boundary = ? AND status = 'rejected'",
    [runId, gate, boundary],
  )

/**
 * Lists the gates that expired undecided during this pause, or caused it. Times would not tell: a clock may be set back
 * meanwhile. Gates of an earlier release do not name their pause.
 */
export const listTimedOut = (tx: ReadTx, runId: string, pause: GateRow): Promise<GateRow[]> =>
  findRows(
    tx,
    gates,
    `run_id = ? AND status = 'expired' AND reason = 'timeout'
AND (paused_by = ? OR (paused_by IS NULL AND decided_at >= ?)) ORDER BY decided_at, id`,
    [runId, pause.id, pause.pendingSince],
  )
