import { allOf, ofRunsOf } from '../../db/conditions.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import type { PullRequest } from './contract.ts'

export const pullRequests = table<PullRequest>('pull_requests', {
  added: { reverted_by: null },
  stream: (row) => `run:${row.runId}`,
})

export const findPullRequestOf = async (tx: ReadTx, runId: string): Promise<PullRequest | undefined> =>
  (await findRows(tx, pullRequests, 'run_id = ?', [runId]))[0]

/** Lists the results of other runs that were merged since a time. */
export const listMergedSince = (tx: ReadTx, runId: string, at: string): Promise<PullRequest[]> =>
  findRows(tx, pullRequests, "status = 'merged' AND run_id <> ? AND ended_at >= ?", [runId, at])

export const listPullRequests = (
  tx: ReadTx,
  { status, organisationId, limit }: PullRequestQuery,
): Promise<PullRequest[]> => {
  const { where, values } = allOf(status !== undefined && ['status = ?', [status]], ofRunsOf(organisationId))
  return findRows(tx, pullRequests, `${where} ORDER BY opened_at DESC, id DESC ${boundLimit}`, [...values, limit])
}

export interface PullRequestQuery {
  status?: PullRequest['status'] | undefined
  organisationId?: number | undefined
  limit: number
}
