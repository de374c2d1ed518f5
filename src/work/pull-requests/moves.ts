import { inserted, updated } from '../../events/change.ts'
import { bug, refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { integrationBranch } from '../../repositories/port.ts'
import type { Brief } from '../briefs/contract.ts'
import { briefs } from '../briefs/store.ts'
import { findPart, parts } from '../parts/store.ts'
import type { PullRequest } from './contract.ts'
import { findPullRequestOf, pullRequests } from './store.ts'
import type { Run } from '../runs/contract.ts'
import { bodyOf } from './body.ts'
import type { RunScope } from '../scope.ts'
import { touchRun } from '../runs/moves.ts'

/** What a brief, and a run, is held by while git is at work for it. */
export const mergeHold = 'merge'
export const landingHold = 'landing'

export const waitsForMerge = ({ run }: RunScope, brief: Brief): boolean =>
  run.repository !== null && brief.kind === 'work' && brief.branchCommit !== null

/** Git has no part in our transactions: the brief waits, and a wake-up that comes also after a kill does the rest. */
export async function holdForMerge(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  await touchRun(
    scope,
    {},
    {
      kind: 'brief_status',
      briefId: brief.id,
      attemptId: brief.attemptId,
      message: `${brief.key}: ${reason === '' ? '' : `${reason}; `}to be merged`,
      data: { reason },
    },
    [updated(briefs, brief, { heldBy: mergeHold, updatedAt: scope.tx.at })],
  )
  await scope.later(scope.tx, { kind: 'integrate', runId: scope.run.id })
}

/** The same for a part; false where git has nothing to do for it. */
export async function holdPartForMerge(scope: RunScope, key: string): Promise<boolean> {
  const { tx, run } = scope
  const part = run.repository === null ? undefined : await findPart(tx, run.id, key)
  if (part === undefined || part.head === null) return false
  await touchRun(
    scope,
    {},
    { kind: 'run_status', message: `${key} is to be merged`, data: { from: run.status, to: run.status, part: key } },
    [updated(parts, part, { heldBy: mergeHold, updatedAt: tx.at })],
  )
  await scope.later(tx, { kind: 'integrate', runId: run.id })
  return true
}

/** Between the approval and its record git may be done already: what is then given up would be in the repository all the same. */
export function checkNotLanding(run: Run): void {
  if (run.heldBy !== landingHold) return
  throw refusal('conflict', `the result of ${run.id} is being merged into ${run.repository?.branch}`, {
    hint: `Follow it with: agency watch ${run.id}`,
  })
}

/** The record of what a run wants to bring into the repository; a second time it is brought up to date. */
export async function openPullRequest(scope: RunScope): Promise<void> {
  const { tx, run } = scope
  if (run.repository === null || run.head === null) throw bug(`run ${run.id} has nothing to merge`)
  const known = await findPullRequestOf(tx, run.id)
  const body = await bodyOf(tx, run)
  if (known !== undefined) {
    await touchRun(scope, {}, { kind: 'pr_updated', message: `${known.id} is up to date`, data: { head: run.head } }, [
      updated(pullRequests, known, { headCommit: run.head, body, updatedAt: tx.at }),
    ])
    return
  }
  const pullRequest: PullRequest = {
    id: scope.ids.next('pullRequest'),
    runId: run.id,
    adapter: 'bare',
    title: shorten(run.goalAnchor.trim().split('\n', 1)[0] as string, 200),
    body,
    source: integrationBranch(run.id),
    target: run.repository.branch,
    baseCommit: run.repository.base,
    headCommit: run.head,
    status: 'open',
    mergedCommit: null,
    openedAt: tx.at,
    updatedAt: tx.at,
    endedAt: null,
  }
  await touchRun(
    scope,
    {},
    {
      kind: 'pr_opened',
      level: 'normal',
      code: 'PR_OPEN',
      message: `${pullRequest.id} ${pullRequest.source} → ${pullRequest.target}`,
      data: { pull_request_id: pullRequest.id, adapter: pullRequest.adapter, head: run.head },
    },
    [inserted(pullRequests, pullRequest)],
  )
}

/** Approved; what is left is git's. */
export async function beginLanding(scope: RunScope): Promise<void> {
  await touchRun(scope, { heldBy: landingHold }, { kind: 'run_status', message: 'the result is being merged' })
  await scope.later(scope.tx, { kind: 'integrate', runId: scope.run.id })
}

export async function mergedPullRequest(scope: RunScope, commit: string): Promise<void> {
  const { tx, run } = scope
  const known = await findPullRequestOf(tx, run.id)
  if (known === undefined) throw bug(`run ${run.id} was merged without a pull request`)
  await touchRun(
    scope,
    { head: commit },
    {
      kind: 'merged',
      level: 'normal',
      code: 'MERGED',
      message: `${known.source} → ${known.target} ${commit.slice(0, 12)}`,
      data: { pull_request_id: known.id, commit },
    },
    [
      updated(pullRequests, known, {
        status: 'merged',
        headCommit: commit,
        mergedCommit: commit,
        updatedAt: tx.at,
        endedAt: tx.at,
      }),
    ],
  )
}

export async function closePullRequest(scope: RunScope): Promise<void> {
  if (scope.run.repository === null) return
  const known = await findPullRequestOf(scope.tx, scope.run.id)
  if (known === undefined || known.status !== 'open') return
  await touchRun(
    scope,
    {},
    { kind: 'pr_closed', message: `${known.id} is closed: the run has ended`, data: { pull_request_id: known.id } },
    [updated(pullRequests, known, { status: 'closed', updatedAt: scope.tx.at, endedAt: scope.tx.at })],
  )
}
