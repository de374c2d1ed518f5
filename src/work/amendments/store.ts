import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import { type Amendment, isOfPath, type PathAmendment } from './contract.ts'
import { AmendmentRecord } from './record.contract.ts'

export const amendments = table<Amendment>('amendments', {
  json: ['beforePath', 'afterPath', 'changes', 'touched'],
  added: { status: 'applied', touched: '[]' },
  stream: (row) => `run:${row.runId}`,
})

export const listAmendments = (tx: ReadTx, runId: string): Promise<Amendment[]> =>
  findRows(tx, amendments, 'run_id = ? ORDER BY at, id', [runId])

/** Lists the changes of paths that were made. */
export const listAppliedToPaths = async (tx: ReadTx, runId: string): Promise<PathAmendment[]> =>
  (await listAmendments(tx, runId)).filter(isOfPath).filter(({ status }) => status === 'applied')

/** Lists the changes of a workstream's path that were made. */
export const listAmendmentsOf = async (tx: ReadTx, runId: string, workstream: string): Promise<AmendmentRecord[]> =>
  (
    await findRows(tx, amendments, "run_id = ? AND workstream = ? AND status = 'applied' ORDER BY at, id", [
      runId,
      workstream,
    ])
  ).map((amendment) => AmendmentRecord.parse(amendment))

/** Lists the changes of a workstream's path that agents proposed and the operator has not approved. */
export const listProposals = (tx: ReadTx, runId: string, workstream: string): Promise<Amendment[]> =>
  findRows(tx, amendments, "run_id = ? AND workstream = ? AND status <> 'applied' ORDER BY at, id", [runId, workstream])

/** Lists the changes of the plan that agents proposed and the operator has not approved. */
export const listPlanProposals = (tx: ReadTx, runId: string): Promise<Amendment[]> =>
  findRows(tx, amendments, "run_id = ? AND kind = 'plan' AND status <> 'applied' ORDER BY at, id", [runId])

/** Returns the version of the plan of a run: 1 until its first amendment. */
export async function findPlanVersion(tx: ReadTx, runId: string): Promise<number> {
  const [newest] = await findRows(
    tx,
    amendments,
    "run_id = ? AND kind = 'plan' AND status = 'applied' ORDER BY version DESC LIMIT 1",
    [runId],
  )
  return newest?.version ?? 1
}

export const findProposal = async (tx: ReadTx, runId: string, gateId: string): Promise<Amendment | undefined> =>
  (await findRows(tx, amendments, 'run_id = ? AND gate_id = ?', [runId, gateId]))[0]
