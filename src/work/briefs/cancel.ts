import type { Brief } from './contract.ts'
import { endStatuses, liveStatuses } from './states.ts'
import { findBrief, listVerifiersOf } from './store.ts'
import { withdrawQuestions } from '../questions/ask.ts'
import { holdDependents } from './dependents.ts'
import { closeGates } from '../gates/open.ts'
import type { RunScope } from '../scope.ts'
import { isWaitingFor } from '../verdicts/subject.ts'
import { moveBrief, nameOf } from './moves.ts'
import { endLiveAttemptOf } from '../attempts/end-live.ts'

/** Cancels a brief that no agent works on, and everything that waits because of it. */
export async function cancelBrief(scope: RunScope, brief: Brief, reason: string | undefined): Promise<Brief> {
  // A finished attempt that waits for an answer before its evidence is checked is ended with its brief.
  await endLiveAttemptOf(scope, brief, reason ?? 'cancelled')
  const cancelled = await moveBrief(scope, brief, 'cancelled', {
    kind: 'brief_cancelled',
    code: 'CANCELLED',
    message: `${brief.key} cancelled${reason === undefined ? '' : `: ${reason}`}`,
    ...(reason === undefined ? {} : { data: { reason } }),
    also: await holdDependents(scope, brief),
  })
  await cancelVerifiers(scope, brief, 'its subject was cancelled')
  const judged = brief.verifies === null ? undefined : await findBrief(scope.tx, brief.verifies)
  // Without its verifier the judged brief would wait indefinitely, so the playbook decides about it.
  if (judged !== undefined && isWaitingFor(judged, brief))
    await scope.decide({ kind: 'brief_unjudged', brief: judged, reason: `${brief.key} was cancelled` })
  await withdrawQuestions(scope, brief.id)
  await closeGates(scope, `brief:${brief.id}`)
  const wasVerified = brief.status === 'verified'
  if (scope.run.endedAt === null) await scope.decide({ kind: 'brief_cancelled', brief: cancelled, wasVerified })
  return cancelled
}

/** Cancels the verifiers that wait. A running one is dropped at its end, because the judged brief has changed. */
export async function cancelVerifiers(scope: RunScope, { id }: Brief, reason: string): Promise<void> {
  for (const verifier of await listVerifiersOf(scope.tx, id)) {
    if (liveStatuses.includes(verifier.status)) continue
    await endLiveAttemptOf(scope, verifier, reason)
    await moveBrief(scope, verifier, 'cancelled', {
      kind: 'brief_cancelled',
      level: 'verbose',
      message: `${verifier.key}: ${reason}`,
    })
    await withdrawQuestions(scope, verifier.id)
  }
}

/** Cancels briefs that others replace. Their running agents are ended, and no question about the run is asked. */
export async function supersede(scope: RunScope, superseded: readonly Brief[], why: Why): Promise<void> {
  for (const { id } of superseded) {
    const brief = await findBrief(scope.tx, id)
    if (brief === undefined || endStatuses.includes(brief.status)) {
      if (brief?.status !== 'failed') continue
    }
    for (const verifier of await listVerifiersOf(scope.tx, id)) await cancel(scope, verifier, why)
    await cancel(scope, brief as Brief, why)
    await closeGates(scope, `brief:${id}`)
  }
}

interface Why {
  readonly reason: string
  readonly by?: string
}

async function cancel(scope: RunScope, brief: Brief, { reason, by }: Why): Promise<void> {
  await endLiveAttemptOf(scope, brief, reason)
  await withdrawQuestions(scope, brief.id)
  await moveBrief(scope, brief, 'cancelled', {
    kind: 'brief_cancelled',
    level: 'verbose',
    message: `${nameOf(scope, brief)} is cancelled: ${by === undefined ? '' : `${by}: `}${reason}`,
    data: { reason, ...(by === undefined ? {} : { decided_by: by }) },
  })
}
