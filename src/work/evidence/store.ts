import { columns, text } from '../../db/columns.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Check } from './contract.ts'

export const checks = table<Check>('checks', {
  json: ['evidence'],
  booleans: ['passed', 'boxed'],
  stream: (row) => `run:${row.runId}`,
})

export const listChecks = (tx: ReadTx, runId: string): Promise<Check[]> =>
  findRows(tx, checks, 'run_id = ? ORDER BY at, attempt_id, item', [runId])

/** Lists the checks of these attempts; those of one are in the order of its evidence. */
export function listChecksOfAttempts(tx: ReadTx, attemptIds: readonly string[]): Promise<Check[]> {
  if (attemptIds.length === 0) return Promise.resolve([])
  const marks = attemptIds.map(() => '?').join(', ')
  return findRows(tx, checks, `attempt_id IN (${marks}) ORDER BY attempt_id, item`, attemptIds)
}

const checkPlaces = columns({ key: text, checkedIn: text })

/** Lists where the work of each brief of a run was checked, by its newest attempt. */
export const listCheckPlaces = (tx: ReadTx, runId: string): Promise<{ key: string; checkedIn: string }[]> =>
  checkPlaces.all(
    sqlOf(tx),
    `SELECT b.key, a.checked_in FROM briefs b JOIN attempts a ON a.id = b.attempt_id
WHERE b.run_id = ? AND b.kind = 'work' AND b.status <> 'cancelled' AND a.checked_in IS NOT NULL ORDER BY b.number`,
    [runId],
  )
