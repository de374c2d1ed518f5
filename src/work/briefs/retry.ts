import { shorten } from '../../kernel/text.ts'
import type { Brief, Correction } from './contract.ts'
import { findBrief } from './store.ts'
import type { QuestionClass } from '../questions/contract.ts'
import type { RunScope } from '../scope.ts'
import { isWaitingFor } from '../verdicts/subject.ts'
import { blockBrief, failBrief, moveBrief, nameOf } from './moves.ts'

/** Retries a brief with corrections, as often as its retry budget allows; a person may then let it continue with them. */
export async function retryWith(
  scope: RunScope,
  brief: Brief,
  outcome: string,
  detail: string,
  corrections: Correction[],
): Promise<void> {
  if (brief.retriesUsed >= brief.retryBudget) {
    const reason = `${detail} (after ${brief.retriesUsed} of ${brief.retryBudget} retries)`
    await block(scope, brief, reason, 'bad_output', { corrections })
    return
  }
  const used = brief.retriesUsed + 1
  await moveBrief(scope, brief, 'pending', {
    kind: 'retried',
    code: 'FAIL',
    message: `${nameOf(scope, brief)} ✗ ${detail} (retry ${used}/${brief.retryBudget})`,
    data: { class: outcome, used, limit: brief.retryBudget },
    patch: { retriesUsed: used, corrections, interruptions: 0 },
  })
}

export async function retryCrash(scope: RunScope, brief: Brief, crash: { readonly detail: string }): Promise<void> {
  if (brief.crashRetries >= brief.crashLimit) {
    const reason = `${crash.detail} (after ${brief.crashRetries} of ${brief.crashLimit} retries)`
    await (brief.kind === 'verify' ? giveUpVerifier(scope, brief, reason) : failBrief(scope, brief, reason))
    return
  }
  const used = brief.crashRetries + 1
  await moveBrief(scope, brief, 'pending', {
    kind: 'retried',
    code: 'FAIL',
    message: `${nameOf(scope, brief)} ✗ ${crash.detail} (retry ${used}/${brief.crashLimit})`,
    data: { class: 'crash', used, limit: brief.crashLimit },
    patch: { crashRetries: used, interruptions: 0 },
  })
}

/** Twenty interruptions in a row have a cause; the brief is blocked instead of being retried indefinitely. */
export const interruptionLimit = 20

/** Reasons of interruptions that are not counted: each ends by itself or by a person. */
const notCounted: ReadonlySet<string> = new Set(['stopped', 'provider_limited', 'budget_reserved'])

/**
 * Retries an interrupted brief. An interruption is not the agent's fault and counts for no other limit; a deliberate
 * stop is not counted at all.
 */
export async function retryInterrupted(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  const interruptions = brief.interruptions + (notCounted.has(reason) ? 0 : 1)
  if (interruptions >= interruptionLimit) {
    await block(scope, brief, `interrupted ${interruptions} times in a row`, 'interrupted')
    return
  }
  await moveBrief(scope, brief, 'pending', {
    kind: 'retried',
    code: 'RESUMED',
    message: `${nameOf(scope, brief)} was interrupted (${reason}); it starts again`,
    data: { class: 'interrupted', reason, used: interruptions, limit: interruptionLimit },
    patch: { interruptions },
  })
}

export const block = (
  scope: RunScope,
  brief: Brief,
  reason: string,
  cause: QuestionClass,
  patch: Partial<Brief> = {},
): Promise<void> =>
  brief.kind === 'verify'
    ? giveUpVerifier(scope, brief, reason)
    : blockBrief(scope, brief, reason, cause, undefined, patch)

/** Fails a verifier without a verdict: the judged brief neither fails nor passes because of it. */
async function giveUpVerifier(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  await moveBrief(scope, brief, 'failed', {
    kind: 'failed',
    code: 'FAIL',
    message: `${nameOf(scope, brief)} ✗ ${reason}`,
    patch: { failure: shorten(reason, 2_000) },
  })
  const judged = brief.verifies === null ? undefined : await findBrief(scope.tx, brief.verifies)
  if (judged !== undefined && isWaitingFor(judged, brief))
    await scope.decide({ kind: 'brief_unjudged', brief: judged, reason: `it could not be verified: ${reason}` })
}
