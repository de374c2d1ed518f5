import { inserted, updated } from '../../events/change.ts'
import { bug, refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { integrationBranch } from '../../repositories/port.ts'
import type { Brief } from '../briefs/contract.ts'
import { addHold, mergeHold } from '../briefs/holds.ts'
import { findPart, parts } from '../parts/store.ts'
import type { PullRequest } from './contract.ts'
import { findPullRequestOf, pullRequests } from './store.ts'
import type { Run } from '../runs/contract.ts'
import { bodyOf } from './body.ts'
import type { RunScope } from '../scope.ts'
import { touchRun } from '../runs/moves.ts'

/** The holds of a part, and of a run, while git works for them. */
export const partMergeHold = 'merge'
export const landingHold = 'landing'

export const waitsForMerge = ({ run }: RunScope, brief: Brief): boolean =>
  run.repository !== null && brief.kind === 'work' && brief.branchCommit !== null

/**
 * Holds a brief until git has merged it. Git is not part of the transaction, so a durable wake-up does the merge, also
 * after a kill.
 */
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
    await addHold(scope.tx, brief, mergeHold, { updatedAt: scope.tx.at }),
  )
  await scope.later(scope.tx, { kind: 'integrate', runId: scope.run.id })
}

/** Holds a part in the same way; resolves to false if there is nothing to merge. */
export async function holdPartForMerge(scope: RunScope, key: string): Promise<boolean> {
  const { tx, run } = scope
  const part = run.repository === null ? undefined : await findPart(tx, run.id, key)
  if (part === undefined || part.head === null) return false
  await touchRun(
    scope,
    {},
    { kind: 'run_status', message: `${key} is to be merged`, data: { from: run.status, to: run.status, part: key } },
    [updated(parts, part, { heldBy: partMergeHold, updatedAt: tx.at })],
  )
  await scope.later(tx, { kind: 'integrate', runId: run.id })
  return true
}

/** Refuses to cancel a run while its result lands: git may have merged it before the record says so. */
export function checkNotLanding(run: Run): void {
  if (run.heldBy !== landingHold) return
  throw refusal('conflict', `the result of ${run.id} is being merged into ${run.repository?.branch}`, {
    hint: `Follow it with: agency watch ${run.id}`,
  })
}

/** Records the pull request of a run, or updates it. */
export async function openPullRequest(scope: RunScope): Promise<void> {
  const { tx, run } = scope
  if (run.repository === null || run.head === null) throw bug(`run ${run.id} has nothing to merge`)
  const known = await findPullRequestOf(tx, run.id)
  const body = await bodyOf(tx, scope.playbook, run)
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
    revertedBy: null,
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

/** Starts the merge of an approved result into the repository. */
export async function beginLanding(scope: RunScope): Promise<void> {
  await touchRun(scope, { heldBy: landingHold }, { kind: 'run_status', message: 'the result is being merged' })
  await wakeLanding(scope)
}

export async function wakeLanding({ tx, run, later }: RunScope): Promise<void> {
  if (run.repository === null) throw bug(`run ${run.id} has nothing to merge`)
  await later(tx, { kind: 'land', runId: run.id, repository: run.repository.path })
}

/** Records the merge. `from` is the commit of the target before it: an agent may have joined new commits of others. */
export async function mergedPullRequest(
  scope: RunScope,
  { commit, from }: { commit: string; from: string | null },
): Promise<void> {
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
        ...(from === null ? {} : { baseCommit: from }),
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
