import { boundLimit } from '../../db/limit.ts'
import { countRows } from '../../db/columns.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { PullRequest } from './contract.ts'

export const pullRequests = table<PullRequest>('pull_requests', { stream: (row) => `run:${row.runId}` })

export const findPullRequestOf = async (tx: ReadTx, runId: string): Promise<PullRequest | undefined> =>
  (await findRows(tx, pullRequests, 'run_id = ?', [runId]))[0]

/** Counts the results of other runs that were merged since a time. */
export const countMergedSince = (tx: ReadTx, runId: string, at: string): Promise<number> =>
  countRows(
    sqlOf(tx),
    "SELECT COUNT(*) AS count FROM pull_requests WHERE status = 'merged' AND run_id <> ? AND ended_at >= ?",
    [runId, at],
  )

export const listPullRequests = (
  tx: ReadTx,
  { status, limit }: { status?: PullRequest['status'] | undefined; limit: number },
): Promise<PullRequest[]> =>
  status === undefined
    ? findRows(tx, pullRequests, `1 = 1 ORDER BY opened_at DESC, id DESC ${boundLimit}`, [limit])
    : findRows(tx, pullRequests, `status = ? ORDER BY opened_at DESC, id DESC ${boundLimit}`, [status, limit])
