import { countRows } from '../../db/columns.ts'
import { allOf, ofRunsOf } from '../../db/conditions.ts'
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

export const findGatesByPrefix = (tx: ReadTx, prefix: string): Promise<GateRow[]> =>
  findRows(tx, gates, 'id >= ? AND id < ? ORDER BY id LIMIT 2', [prefix, `${prefix}~`])

export const listGatesOfRun = (tx: ReadTx, runId: string): Promise<GateRow[]> =>
  findRows(tx, gates, 'run_id = ? ORDER BY pending_since, id', [runId])

export const listPendingOfRun = (tx: ReadTx, runId: string): Promise<GateRow[]> =>
  findRows(tx, gates, "run_id = ? AND status = 'pending' ORDER BY pending_since, id", [runId])

/** Lists the gates that the operator may decide: those that tiers decide among themselves wait for no one else. */
export function listGates(tx: ReadTx, status: string, limit: number, organisationId?: number): Promise<GateRow[]> {
  const { where, values } = ofOperator(status, organisationId)
  return findRows(tx, gates, `${where} ORDER BY pending_since, id ${boundLimit}`, [...values, limit])
}

export function countGates(tx: ReadTx, status: string, organisationId?: number): Promise<number> {
  const { where, values } = ofOperator(status, organisationId)
  return countRows(sqlOf(tx), `SELECT COUNT(*) AS count FROM gates WHERE ${where}`, values)
}

/** Counts the pending gates that only the operator decides; a seat or a tier decides the others first. */
export const countOperatorsGates = (tx: ReadTx): Promise<number> =>
  countRows(sqlOf(tx), "SELECT COUNT(*) AS count FROM gates WHERE status = 'pending' AND approver = ?", [operator])

const ofOperator = (status: string, organisationId: number | undefined) =>
  allOf(["status = ? AND (approver = ? OR approver LIKE 'seat:%')", [status, operator]], ofRunsOf(organisationId))

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
