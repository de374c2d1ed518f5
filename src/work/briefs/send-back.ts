import { type Change, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { Decision } from '../../playbooks/contract.ts'
import type { Brief, Correction } from './contract.ts'
import { received } from './add.ts'
import { cancelVerifiers } from './cancel.ts'
import { isMetBy } from './holds.ts'
import { isMet } from './states.ts'
import { briefs, dependencies, findBrief, listDependenciesOf, listFollowers } from './store.ts'
import { requiresOf } from './dependents.ts'
import type { RunScope } from '../scope.ts'
import { moveBrief, nameOf } from './moves.ts'

/** Sends a brief back without counting it for a limit, because a rejection has a reason beside the agent's failures. */
export async function sendBack(
  scope: RunScope,
  stale: Brief,
  {
    reason,
    class: cause,
    inputs,
    receives,
    corrections,
  }: Omit<Extract<Decision, { kind: 'send_back' }>, 'kind' | 'brief'>,
): Promise<void> {
  const brief = (await findBrief(scope.tx, stale.id)) ?? stale
  const own = await unmetOf(scope, brief)
  await moveBrief(scope, brief, 'pending', {
    kind: 'retried',
    code: cause === 'rejected' ? 'REJECTED' : 'RESUMED',
    message: `${nameOf(scope, brief)} is done again: ${shorten(reason, 300)}`,
    data: { class: cause, reason },
    patch: {
      ...(cause === 'rejected' ? { rejectionReason: reason } : {}),
      ...(inputs === undefined ? {} : { inputs: { ...brief.inputs, ...inputs } }),
      ...(receives === undefined ? {} : { receives: await received(scope, receives) }),
      ...(corrections === undefined ? {} : { corrections: [...corrections] }),
      // The evidence of a landed result need not hold without it, so an agent that takes it back has a verifier instead.
      ...(scope.run.configuration.reverts === undefined ? {} : { evidence: [], verify: 'agent' as const }),
      unmetDependencies: own.unmet.size,
    },
    release: isMetBy(own.unmet),
    also: [...own.changes, ...(await unmeetFollowers(scope, brief))],
  })
  await cancelVerifiers(scope, brief, 'its subject is done again')
}

/** Sends a brief back after a verdict, with corrections, and counts it. */
export async function reworkBrief(
  scope: RunScope,
  brief: Brief,
  corrections: readonly Correction[],
  counter: 'verification' | 'retries' = 'verification',
): Promise<void> {
  const isRetry = counter === 'retries'
  const own = isRetry ? await unmetOf(scope, brief) : null
  const used = (isRetry ? brief.retriesUsed : brief.verificationFailures) + 1
  const limit = isRetry ? brief.retryBudget : brief.verificationLimit
  await moveBrief(scope, brief, 'pending', {
    kind: 'retried',
    code: 'FAIL',
    message: `${nameOf(scope, brief)} ✗ ${isRetry ? '' : `${corrections[0]?.detail ?? 'not good enough'} `}(retry ${used}/${limit})`,
    data: {
      class: 'verification_failed',
      used,
      limit,
      ...(isRetry ? { issues: corrections.slice(0, 10).map(({ detail }) => shorten(detail, 300)) } : {}),
    },
    patch: {
      ...(isRetry ? { retriesUsed: used } : { verificationFailures: used }),
      corrections: [...corrections],
      ...(own === null ? {} : { unmetDependencies: own.unmet.size }),
    },
    ...(own === null ? {} : { release: isMetBy(own.unmet) }),
    also: own === null ? [] : [...own.changes, ...(await unmeetFollowers(scope, brief))],
  })
}

/** Finds the unmet dependencies again, because some may have been sent back before. */
export async function unmetOf(scope: RunScope, brief: Brief): Promise<{ unmet: Set<string>; changes: Change[] }> {
  const { tx } = scope
  const changes: Change[] = []
  const unmet = new Set<string>()
  for (const edge of await listDependenciesOf(tx, brief.id)) {
    const before = await findBrief(tx, edge.afterId)
    if (before === undefined) throw bug(`dependency on a missing brief: ${edge.afterId}`)
    const met = before.status === 'cancelled' || isMet(before.status, requiresOf(scope))
    if (!met) unmet.add(edge.afterId)
    if (met !== edge.met) changes.push(updated(dependencies, edge, { met }))
  }
  return { unmet, changes }
}

/** Makes followers that have not started wait for the brief again. */
export async function unmeetFollowers({ tx }: RunScope, brief: Brief): Promise<Change[]> {
  const changes: Change[] = []
  for (const edge of await listFollowers(tx, brief.id)) {
    const follower = edge.met ? await findBrief(tx, edge.briefId) : undefined
    if (follower?.status !== 'pending') continue
    changes.push(
      updated(dependencies, edge, { met: false }),
      updated(briefs, follower, { unmetDependencies: follower.unmetDependencies + 1 }),
    )
  }
  return changes
}
