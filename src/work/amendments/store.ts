import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import type { Amendment } from './contract.ts'

export const amendments = table<Amendment>('amendments', {
  json: ['beforePath', 'afterPath'],
  added: { status: 'applied' },
  stream: (row) => `run:${row.runId}`,
})

export const listAmendments = (tx: ReadTx, runId: string): Promise<Amendment[]> =>
  findRows(tx, amendments, 'run_id = ? ORDER BY at, id', [runId])

/** Lists the changes of a workstream's path that were made. */
export const listAmendmentsOf = (tx: ReadTx, runId: string, workstream: string): Promise<Amendment[]> =>
  findRows(tx, amendments, "run_id = ? AND workstream = ? AND status = 'applied' ORDER BY at, id", [runId, workstream])

/** Lists the changes of a workstream's path that agents proposed and the operator has not approved. */
export const listProposals = (tx: ReadTx, runId: string, workstream: string): Promise<Amendment[]> =>
  findRows(tx, amendments, "run_id = ? AND workstream = ? AND status <> 'applied' ORDER BY at, id", [runId, workstream])

export const findProposal = async (tx: ReadTx, runId: string, gateId: string): Promise<Amendment | undefined> =>
  (await findRows(tx, amendments, 'run_id = ? AND gate_id = ?', [runId, gateId]))[0]
