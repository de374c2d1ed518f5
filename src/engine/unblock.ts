import type { Brief } from '../work/briefs/contract.ts'
import type { QuestionClass } from '../work/questions/contract.ts'
import { listQuestionsOfBrief } from '../work/questions/store.ts'
import { decideAndApply, failBrief } from './decisions.ts'
import { freeDependents } from './dependents.ts'
import { moveBrief, type RunScope, touchRun } from './scope.ts'

/** The counter that stopped it starts anew, the others stay. */
export const resets: Partial<Record<QuestionClass, Partial<Brief>>> = {
  bad_output: { retriesUsed: 0 },
  verification: { verificationFailures: 0 },
  crash: { crashRetries: 0 },
  interrupted: { interruptions: 0 },
}

/** A blocked or failed brief gets another chance. */
export async function unblock(scope: RunScope, brief: Brief, patch: Partial<Brief>, why: string): Promise<void> {
  const failed = brief.status === 'failed'
  await moveBrief(scope, brief, 'pending', {
    kind: failed ? 'retried' : 'unblocked',
    code: 'RESUMED',
    message: `${brief.key} goes on: ${why}`,
    patch: { heldBy: null, ...patch, ...(failed ? { failure: null } : {}) },
    ...(failed ? { also: await freeDependents(scope, brief) } : {}),
  })
}

/**
 * The operator gives a brief up: the run fails as soon as its agents have ended. One that is at work is not ended for
 * it; whatever it comes to, it has failed.
 */
export async function abandonBrief(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  await touchRun(
    scope,
    { abandoned: true },
    { kind: 'log', level: 'normal', briefId: brief.id, message: `${brief.key} is given up` },
  )
  if (brief.status === 'blocked') return failBrief(scope, brief, reason)
  if (brief.status === 'failed') await decideAndApply(scope, { kind: 'siblings_ended' })
}

/** Somebody gave it up while an agent was at work on it. */
export async function isGivenUp(scope: RunScope, brief: Brief): Promise<boolean> {
  if (!scope.run.abandoned) return false
  const asked = await listQuestionsOfBrief(scope.tx, brief.id)
  return asked.some(({ answer, options }) =>
    options.some(({ key, label }) => key === 'abandon' && (answer === key || answer === label)),
  )
}
