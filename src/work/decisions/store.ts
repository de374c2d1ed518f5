import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import type { Decision } from './contract.ts'

export const decisions = table<Decision>('decisions', {
  stream: ({ runId, organisationId }) => (runId === null ? `org:${organisationId as number}` : `run:${runId}`),
})

export const findDecision = (tx: ReadTx, id: string): Promise<Decision | undefined> => findRow(tx, decisions, id)

/** Lists the decisions about gates and questions, oldest first. */
export async function listDecisionsAbout(tx: ReadTx, targets: readonly string[]): Promise<Decision[]> {
  if (targets.length === 0) return []
  const marks = targets.map(() => '?').join(', ')
  return findRows(tx, decisions, `target IN (${marks}) ORDER BY decided_at, id`, targets)
}

export const listDecisionsOfRun = (tx: ReadTx, runId: string): Promise<Decision[]> =>
  findRows(tx, decisions, 'run_id = ? ORDER BY decided_at, id', [runId])

export const listWaitingAbout = (tx: ReadTx, target: string): Promise<Decision[]> =>
  findRows(tx, decisions, "target = ? AND status = 'waiting' ORDER BY decided_at, id", [target])
