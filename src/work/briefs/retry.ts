import { shorten } from '../../kernel/text.ts'
import type { Brief, Correction } from './contract.ts'
import { findBrief } from './store.ts'
import type { QuestionClass } from '../questions/contract.ts'
import type { RunScope } from '../scope.ts'
import { isWaitingFor } from '../verdicts/moves.ts'
import { blockBrief, failBrief, moveBrief, nameOf } from './moves.ts'

/** Again, with what was wrong, as often as the brief's budget allows. */
export async function retryWith(
  scope: RunScope,
  brief: Brief,
  outcome: string,
  detail: string,
  corrections: Correction[],
): Promise<void> {
  if (brief.retriesUsed >= brief.retryBudget) {
    await block(scope, brief, `${detail} (after ${brief.retriesUsed} of ${brief.retryBudget} retries)`, 'bad_output')
    return
  }
  const used = brief.retriesUsed + 1
  await moveBrief(scope, brief, 'pending', {
    kind: 'retried',
    code: 'FAIL',
    message: `${nameOf(brief)} ✗ ${detail} (retry ${used}/${brief.retryBudget})`,
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
    message: `${nameOf(brief)} ✗ ${crash.detail} (retry ${used}/${brief.crashLimit})`,
    data: { class: 'crash', used, limit: brief.crashLimit },
    patch: { crashRetries: used, interruptions: 0 },
  })
}

/** Twenty deaths of ours in a row are no accident; the brief stops there instead of circling for ever. */
const interruptionLimit = 20

/** Our own death is not the agent's fault: no limit counts it. Who was stopped on purpose is not even counted as dead. */
export async function retryInterrupted(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  const interruptions = brief.interruptions + (reason === 'stopped' || reason === 'provider_limited' ? 0 : 1)
  if (interruptions >= interruptionLimit) {
    await block(scope, brief, `interrupted ${interruptions} times in a row`, 'interrupted')
    return
  }
  await moveBrief(scope, brief, 'pending', {
    kind: 'retried',
    code: 'RESUMED',
    message: `${nameOf(brief)} was interrupted (${reason}); it starts again`,
    data: { class: 'interrupted', reason, used: interruptions, limit: interruptionLimit },
    patch: { interruptions },
  })
}

export const block = (scope: RunScope, brief: Brief, reason: string, cause: QuestionClass): Promise<void> =>
  brief.kind === 'verify' ? giveUpVerifier(scope, brief, reason) : blockBrief(scope, brief, reason, cause)

/** Nobody has judged it: that is not the verified work's fault, and it does not pass by it either. */
async function giveUpVerifier(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  await moveBrief(scope, brief, 'failed', {
    kind: 'failed',
    code: 'FAIL',
    message: `${nameOf(brief)} ✗ ${reason}`,
    patch: { failure: shorten(reason, 2_000) },
  })
  const judged = brief.verifies === null ? undefined : await findBrief(scope.tx, brief.verifies)
  if (judged !== undefined && isWaitingFor(judged, brief))
    await scope.decide({ kind: 'brief_unjudged', brief: judged, reason: `it could not be verified: ${reason}` })
}
