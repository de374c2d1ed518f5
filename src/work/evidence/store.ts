import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import type { Check } from './contract.ts'

export const checks = table<Check>('checks', {
  json: ['evidence'],
  booleans: ['passed', 'boxed'],
  stream: (row) => `run:${row.runId}`,
})

export const listChecks = (tx: ReadTx, runId: string): Promise<Check[]> =>
  findRows(tx, checks, 'run_id = ? ORDER BY at, attempt_id, item', [runId])

export const listChecksOfAttempt = (tx: ReadTx, attemptId: string): Promise<Check[]> =>
  findRows(tx, checks, 'attempt_id = ? ORDER BY item', [attemptId])
