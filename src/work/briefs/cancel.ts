import type { Brief } from './contract.ts'
import { endStatuses, liveStatuses } from './states.ts'
import { findBrief, listVerifiersOf } from './store.ts'
import { withdrawQuestions } from '../questions/ask.ts'
import { holdDependents } from './dependents.ts'
import { closeGates } from '../gates/open.ts'
import type { RunScope } from '../scope.ts'
import { isWaitingFor } from '../verdicts/moves.ts'
import { moveBrief, nameOf } from './moves.ts'
import { endLiveAttemptOf } from '../attempts/end-live.ts'

/** One brief that nobody is at work on is given up, with everything that waits because of it. */
export async function cancelBrief(scope: RunScope, brief: Brief, reason: string | undefined): Promise<Brief> {
  // A finished attempt whose evidence waits for an answer is given up with its brief.
  await endLiveAttemptOf(scope, brief, reason ?? 'cancelled')
  const cancelled = await moveBrief(scope, brief, 'cancelled', {
    kind: 'brief_cancelled',
    code: 'CANCELLED',
    message: `${brief.key} cancelled${reason === undefined ? '' : `: ${reason}`}`,
    patch: { heldBy: null },
    also: await holdDependents(scope, brief),
  })
  for (const verifier of await listVerifiersOf(scope.tx, brief.id))
    // One at work finds out by itself that what it judges has gone on.
    if (!liveStatuses.includes(verifier.status))
      await moveBrief(scope, verifier, 'cancelled', {
        kind: 'brief_cancelled',
        level: 'verbose',
        message: `${verifier.key}: its subject was cancelled`,
      })
  const judged = brief.verifies === null ? undefined : await findBrief(scope.tx, brief.verifies)
  // Who was to judge it does not: that is for somebody to decide, or it would wait for ever.
  if (judged !== undefined && isWaitingFor(judged, brief))
    await scope.decide({ kind: 'brief_unjudged', brief: judged, reason: `${brief.key} was cancelled` })
  await withdrawQuestions(scope, brief.id)
  await closeGates(scope, `brief:${brief.id}`)
  if (scope.run.endedAt === null) await scope.decide({ kind: 'brief_cancelled', brief: cancelled })
  return cancelled
}

/** What others do instead. Agents at work on them are ended; nobody is asked what becomes of the run. */
export async function supersede(scope: RunScope, superseded: readonly Brief[], reason: string): Promise<void> {
  for (const { id } of superseded) {
    const brief = await findBrief(scope.tx, id)
    if (brief === undefined || endStatuses.includes(brief.status)) {
      if (brief?.status !== 'failed') continue
    }
    for (const verifier of await listVerifiersOf(scope.tx, id)) await cancel(scope, verifier, reason)
    await cancel(scope, brief as Brief, reason)
    await withdrawQuestions(scope, id)
    await closeGates(scope, `brief:${id}`)
  }
}

async function cancel(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  await endLiveAttemptOf(scope, brief, reason)
  await moveBrief(scope, brief, 'cancelled', {
    kind: 'brief_cancelled',
    level: 'verbose',
    message: `${nameOf(brief)} is cancelled: ${reason}`,
    data: { reason },
    patch: { heldBy: null },
  })
}
