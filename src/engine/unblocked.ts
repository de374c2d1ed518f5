import type { Brief } from '../work/briefs/contract.ts'
import type { QuestionClass } from '../work/questions/contract.ts'
import { freeDependents } from '../work/briefs/dependents.ts'
import { type RunScope } from '../work/scope.ts'
import { moveBrief, nameOf } from '../work/briefs/moves.ts'
import type { Decision } from '../playbooks/contract.ts'
import { findBrief } from '../work/briefs/store.ts'

/** The counter that stopped it starts anew, the others stay. */
export const resets: Partial<Record<QuestionClass, Partial<Brief>>> = {
  bad_output: { retriesUsed: 0 },
  verification: { verificationFailures: 0 },
  crash: { crashRetries: 0 },
  interrupted: { interruptions: 0 },
}

/** A blocked or failed brief gets another chance. */
export async function unblockBrief(scope: RunScope, brief: Brief, patch: Partial<Brief>, why: string): Promise<void> {
  const failed = brief.status === 'failed'
  await moveBrief(scope, brief, 'pending', {
    kind: failed ? 'retried' : 'unblocked',
    code: 'RESUMED',
    message: `${nameOf(brief)} goes on: ${why}`,
    patch: { heldBy: null, ...patch, ...(failed ? { failure: null } : {}) },
    ...(failed ? { also: await freeDependents(scope, brief) } : {}),
  })
}

/** Who stands above it has answered; the next time it goes one higher. */
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
