import type { Brief } from '../work/briefs/contract.ts'
import { decideAndApply, failBrief } from './decisions.ts'
import { freeDependents } from './dependents.ts'
import { moveBrief, type RunScope, touchRun } from './scope.ts'

/** A blocked or failed brief gets another chance. */
export async function unblock(scope: RunScope, brief: Brief, patch: Partial<Brief>, why: string): Promise<void> {
  const failed = brief.status === 'failed'
  await moveBrief(scope, brief, 'pending', {
    kind: failed ? 'retried' : 'unblocked',
    code: 'RESUMED',
    message: `${brief.key} goes on: ${why}`,
    patch: { ...patch, ...(failed ? { failure: null } : {}) },
    ...(failed ? { also: await freeDependents(scope, brief) } : {}),
  })
}

/** The operator gives a brief up: the run fails as soon as its agents have ended. */
export async function abandonBrief(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  await touchRun(
    scope,
    { abandoned: true },
    { kind: 'log', level: 'normal', briefId: brief.id, message: `${brief.key} is given up` },
  )
  if (brief.status === 'blocked') return failBrief(scope, brief, reason)
  await decideAndApply(scope, { kind: 'siblings_ended' })
}
