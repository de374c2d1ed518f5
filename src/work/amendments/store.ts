import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import type { Amendment } from './contract.ts'

export const amendments = table<Amendment>('amendments', {
  json: ['beforePath', 'afterPath'],
  stream: (row) => `run:${row.runId}`,
})

export const listAmendments = (tx: ReadTx, runId: string): Promise<Amendment[]> =>
  findRows(tx, amendments, 'run_id = ? ORDER BY at, id', [runId])

export const listAmendmentsOf = (tx: ReadTx, runId: string, workstream: string): Promise<Amendment[]> =>
  findRows(tx, amendments, 'run_id = ? AND workstream = ? ORDER BY at, id', [runId, workstream])
