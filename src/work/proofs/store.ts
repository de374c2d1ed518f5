import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import type { Proof } from './contract.ts'

export const proofs = table<Proof>('proofs', {
  json: ['gate', 'findings'],
  stream: (row) => `run:${row.runId}`,
})

export const findProof = (tx: ReadTx, id: string): Promise<Proof | undefined> => findRow(tx, proofs, id)

export const listProofs = (tx: ReadTx, runId: string): Promise<Proof[]> =>
  findRows(tx, proofs, 'run_id = ? ORDER BY created_at, id', [runId])

export async function findWaitingProof(tx: ReadTx, runId: string): Promise<Proof | undefined> {
  return (await findRows(tx, proofs, "run_id = ? AND status = 'waiting'", [runId]))[0]
}

/** Lists those of the given proofs that another party has ended: a cancelled run, or a result that has changed. */
export async function listEndedProofs(tx: ReadTx, ids: readonly string[]): Promise<string[]> {
  const ended: string[] = []
  for (const id of ids) if ((await findProof(tx, id))?.status !== 'waiting') ended.push(id)
  return ended
}
