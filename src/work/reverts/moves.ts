import type { Tx } from '../../db/port.ts'
import { record, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../briefs/contract.ts'
import { moveBrief, passBrief } from '../briefs/moves.ts'
import { listBriefs } from '../briefs/store.ts'
import { findPullRequestOf, pullRequests } from '../pull-requests/store.ts'
import { askAboutBrief } from '../questions/ask.ts'
import type { Run } from '../runs/contract.ts'
import type { RunScope } from '../scope.ts'

/** Notes at a landed result the run that takes it back. */
export async function markReverted(tx: Tx, run: Run, revertedBy: string, by: string): Promise<void> {
  const pullRequest = await findPullRequestOf(tx, run.id)
  if (pullRequest === undefined) throw bug(`run ${run.id} has landed without a pull request`)
  await record(
    tx,
    {
      kind: 'pr_updated',
      by,
      runId: run.id,
      level: 'normal',
      message: `${revertedBy} takes ${pullRequest.id} back`,
      data: { pull_request_id: pullRequest.id, reverted_by: revertedBy },
    },
    [updated(pullRequests, pullRequest, { revertedBy, updatedAt: tx.at })],
  )
}

/** Records the commit that git has made as the work of the run; it is merged and proven as the work of an agent. */
export async function recordRevert(scope: RunScope, commit: string): Promise<void> {
  const brief = await moveBrief(scope, await onlyBrief(scope), 'ready_for_verification', {
    kind: 'ready_for_verification',
    level: 'normal',
    message: `the engine has made the revert ${commit.slice(0, 12)}`,
    data: { commit },
    patch: { branchCommit: commit },
  })
  await passBrief(scope, brief, 'made by the engine')
}

const mostFiles = 50

/** Asks the operator about a result that cannot be taken back without a conflict: nothing is forced. */
export async function askAboutConflict(
  scope: RunScope,
  { branch, commit, files }: { branch: string; commit: string; files: readonly string[] },
): Promise<void> {
  const named = files.slice(0, mostFiles)
  const more = files.length > named.length ? [`- and ${files.length - named.length} more`] : []
  const reason = `${commit.slice(0, 12)} cannot be taken back without a conflict: ${shorten(named.join(', '), 300)}`
  const brief = await moveBrief(scope, await onlyBrief(scope), 'blocked', {
    kind: 'escalated',
    code: 'ESCALATE',
    message: reason,
    data: { class: 'asked', files: named },
  })
  await askAboutBrief(scope, brief, reason, 'asked', [
    {
      text: `Later commits of ${branch} changed the same places. Should an agent take the result back by hand?`,
      context: ['Files in conflict:', ...named.map((file) => `- ${file}`), ...more].join('\n'),
      options: [
        {
          key: 'agent',
          label: 'Let an agent resolve the conflict',
          detail: 'Its work is verified and waits for your approval. A free-text answer does the same, as guidance.',
        },
        { key: 'abandon', label: 'Give up', detail: 'The run fails, and nothing is taken back.' },
      ],
      recommendation: null,
    },
  ])
}

async function onlyBrief({ tx, run }: RunScope): Promise<Brief> {
  const [brief] = await listBriefs(tx, run.id)
  if (brief === undefined) throw bug(`run ${run.id} has no brief`)
  return brief
}
