import { shorten } from '../../kernel/text.ts'
import { endLiveAttempts } from '../attempts/end-live.ts'
import type { Brief } from '../briefs/contract.ts'
import { closeBrief, moveBrief } from '../briefs/moves.ts'
import { hasVerifiers, listOpenBriefs, listVerifiedBriefs } from '../briefs/store.ts'
import { closeGates } from '../gates/open.ts'
import { releaseNext } from '../mission-workspaces/executions/queue.ts'
import { cancelProofOfRun } from '../proofs/cancel.ts'
import { closePullRequest } from '../pull-requests/moves.ts'
import { withdrawQuestions } from '../questions/ask.ts'
import type { RunScope } from '../scope.ts'
import { moveRun, moveRunsMission } from './moves.ts'

/** Clones of an ended run are kept for a day, so that people can inspect the files that an agent worked with. */
const keepClonesMs = 24 * 3_600_000

export async function endRun(scope: RunScope, status: 'done' | 'failed' | 'cancelled', summary: string): Promise<void> {
  if (status === 'done') for (const brief of await verifiedOf(scope)) await closeBrief(scope, brief)
  const open = await listOpenBriefs(scope.tx, scope.run.id)
  // No agent keeps working for an ended run, such as the verifier of a cancelled brief.
  if (open.length > 0) await endLiveAttempts(scope, 'the run has ended')
  for (const brief of open) {
    // A verified step of a playbook needs no acceptance: it is done, not cancelled.
    if (status === 'done' && brief.status === 'verified') {
      await closeBrief(scope, brief)
      continue
    }
    await moveBrief(scope, brief, 'cancelled', {
      kind: 'brief_cancelled',
      level: 'verbose',
      message: `${brief.key} cancelled: the run has ${status === 'done' ? 'ended' : status}`,
    })
  }
  await cancelProofOfRun(scope)
  await withdrawQuestions(scope)
  await closeGates(scope)
  if (status !== 'done') await closePullRequest(scope)
  const patch = { heldBy: null }
  if (status === 'done') {
    const accepted = scope.run.status === 'accepting'
    if (!accepted) await moveRun(scope, 'accepting', { level: 'verbose', message: 'every brief is done' })
    await moveRun(scope, 'done', { code: 'ACCEPT', message: `✓ ${summary}`, summary, patch })
    await moveRunsMission(scope, accepted ? ['done'] : ['review', 'done'], summary)
  } else {
    const code = status === 'failed' ? 'FAIL' : 'CANCELLED'
    await moveRun(scope, status, { code, message: `✗ ${summary}`, summary, patch })
    await moveRunsMission(scope, [status], summary)
  }
  if (scope.run.configuration.purpose !== undefined)
    await scope.later(scope.tx, { kind: 'run_ended', runId: scope.run.id })
  await releaseNext(scope.tx, scope.run)
  if (scope.run.repository !== null || (await hasVerifiers(scope.tx, scope.run.id)))
    await scope.later(scope.tx, { kind: 'clean_run', runId: scope.run.id, delayMs: keepClonesMs })
  if (status !== 'cancelled') await tellEnd(scope, status, summary)
}

/** Lists the briefs that waited for the acceptance of the result; without such a gate each was closed when it was verified. */
const verifiedOf = async (scope: RunScope): Promise<Brief[]> =>
  scope.run.briefsVerified === 0 ? [] : listVerifiedBriefs(scope.tx, scope.run.id)

async function tellEnd(scope: RunScope, status: 'done' | 'failed', summary: string): Promise<void> {
  await scope.notify(scope.tx, {
    kind: status === 'done' ? 'run_done' : 'run_failed',
    title: `${status === 'done' ? 'Done' : 'Failed'}: ${shorten(scope.run.goalAnchor, 120)}`,
    summary,
    actions: [{ label: 'Show', command: `agency inspect ${scope.run.id}` }],
    runId: scope.run.id,
    organisationId: scope.run.organisationId,
    object: scope.run.id,
    state: status,
  })
}

/** Cancels a run from outside. */
export const cancelRun = (scope: RunScope, reason: string): Promise<void> => endRun(scope, 'cancelled', reason)
