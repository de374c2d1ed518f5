import type { Brief } from './contract.ts'
import type { QuestionClass } from '../questions/contract.ts'
import { cancelBrief } from './cancel.ts'
import { freeDependents } from './dependents.ts'
import { isHeld, isMetBy, isOfTry, mergeHold } from './holds.ts'
import { unmeetFollowers, unmetOf } from './send-back.ts'
import type { RunScope } from '../scope.ts'
import { failBrief, moveBrief, nameOf } from './moves.ts'
import type { Decision } from '../../playbooks/contract.ts'
import { findBrief } from './store.ts'
import { withdrawQuestions } from '../questions/ask.ts'
import { listQuestionsOfBrief } from '../questions/store.ts'
import { touchRun } from '../runs/moves.ts'
import { endLiveAttemptOf } from '../attempts/end-live.ts'
import { releaseAttempt } from '../attempts/hold.ts'
import { findAttempt } from '../attempts/store.ts'
import { isWaitingFor } from '../verdicts/subject.ts'

/** Answering a question resets the counter that caused it; other counters stay. */
export const resets: Partial<Record<QuestionClass, Partial<Brief>>> = {
  bad_output: { retriesUsed: 0 },
  verification: { verificationFailures: 0 },
  crash: { crashRetries: 0 },
  interrupted: { interruptions: 0 },
  fault: { interruptions: 0 },
}

/** Continues a blocked or failed brief: with the check of finished work if there is some, otherwise with an agent. */
export async function unblockBrief(scope: RunScope, brief: Brief, patch: Partial<Brief>, why: string): Promise<void> {
  if (brief.status === 'blocked' && (await resumeFinished(scope, brief, patch, why))) return
  const failed = brief.status === 'failed'
  // In a pipeline a brief starts with finished work that may be stopped or repeated later.
  const own = await unmetOf(scope, brief)
  await moveBrief(scope, brief, 'pending', {
    kind: failed ? 'retried' : 'unblocked',
    code: 'RESUMED',
    message: `${nameOf(scope, brief)} continues: ${why}`,
    patch: { unmetDependencies: own.unmet.size, ...patch, ...(failed ? { failure: null } : {}) },
    release: isMetBy(own.unmet),
    also: [
      ...own.changes,
      ...(await unmeetFollowers(scope, brief)),
      ...(failed ? await freeDependents(scope, brief) : []),
    ],
  })
}

/** Resolves to false if the brief has no finished work with an interrupted check or merge. */
async function resumeFinished(scope: RunScope, brief: Brief, patch: Partial<Brief>, why: string): Promise<boolean> {
  const attempt = brief.attemptId === null ? undefined : await findAttempt(scope.tx, brief.attemptId)
  const isReported = attempt?.status === 'reported'
  if (!isReported && !(await isHeld(scope.tx, brief, mergeHold))) return false
  if (isReported) await releaseAttempt(scope, attempt, 'its evidence is to be checked again')
  await moveBrief(scope, brief, isReported ? 'working' : 'ready_for_verification', {
    kind: 'unblocked',
    code: 'RESUMED',
    message: `${nameOf(scope, brief)} continues with its finished work: ${why}`,
    patch,
    // Its check may wait for the question of another run, which is not answered by this: it waits again if necessary.
    ...(isReported ? { release: isOfTry } : {}),
  })
  if (!isReported) await scope.later(scope.tx, { kind: 'integrate', runId: scope.run.id })
  return true
}

/** Unblocks a brief that a tier above has answered; the next escalation goes one tier higher. */
export async function resolveBrief(
  scope: RunScope,
  { brief: stale, by, class: cause, guidance, corrections }: Extract<Decision, { kind: 'resolve_brief' }>,
): Promise<void> {
  const brief = (await findBrief(scope.tx, stale.id)) ?? stale
  await unblockBrief(
    scope,
    brief,
    {
      ...resets[cause],
      escalations: brief.escalations + 1,
      ...(guidance === null ? {} : { guidance: [...brief.guidance, guidance] }),
      ...(corrections === undefined ? {} : { corrections: [...corrections] }),
    },
    `answered by ${by}`,
  )
}

/**
 * Abandons a brief for the operator: the run fails as soon as its agents have ended. A running agent of the brief is
 * not ended, but the brief fails with any outcome.
 */
export async function abandonBrief(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  const judged = brief.verifies === null ? undefined : await findBrief(scope.tx, brief.verifies)
  if (judged !== undefined && !isWaitingFor(judged, brief)) return void (await cancelBrief(scope, brief, reason))
  // An answer to another question about the brief would continue it.
  await withdrawQuestions(scope, brief.id)
  await touchRun(
    scope,
    { abandoned: true },
    { kind: 'log', level: 'normal', briefId: brief.id, message: `${brief.key} is abandoned` },
  )
  if (brief.status === 'blocked') {
    await endLiveAttemptOf(scope, brief, reason)
    return failBrief(scope, brief, reason)
  }
  if (brief.status === 'failed') await scope.decide({ kind: 'siblings_ended' })
}

/** Reports whether the operator abandoned the brief while an agent worked on it. */
export async function isGivenUp(scope: RunScope, brief: Brief): Promise<boolean> {
  if (!scope.run.abandoned) return false
  const asked = await listQuestionsOfBrief(scope.tx, brief.id)
  return asked.some(({ answer, options }) =>
    options.some(({ key, label }) => key === 'abandon' && (answer === key || answer === label)),
  )
}
