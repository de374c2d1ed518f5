import { type Change, record, updated } from '../../events/change.ts'
import type { RunScope } from '../scope.ts'
import type { Attempt } from './contract.ts'
import { attempts } from './store.ts'

/** Keeps a finished attempt from being examined until an answer: its report stays, and no agent is launched again. */
export async function holdAttempt(scope: Pick<RunScope, 'tx' | 'by'>, attempt: Attempt, heldBy: string): Promise<void> {
  await release(scope, attempt, heldBy, 'its evidence cannot be checked before an answer')
}

/** Returns an attempt to those that wait for an examination; other rows may change with the same event. */
export const releaseAttempt = (
  scope: Pick<RunScope, 'tx' | 'by'>,
  attempt: Attempt,
  why: string,
  also: readonly Change[] = [],
): Promise<void> => release(scope, attempt, null, why, also)

async function release(
  scope: Pick<RunScope, 'tx' | 'by'>,
  attempt: Attempt,
  heldBy: string | null,
  why: string,
  also: readonly Change[] = [],
): Promise<void> {
  await record(
    scope.tx,
    {
      kind: 'examination_released',
      by: scope.by,
      runId: attempt.runId,
      briefId: attempt.briefId,
      attemptId: attempt.id,
      level: 'verbose',
      message: `attempt ${attempt.fence}: ${why}`,
      data: { held_by: heldBy },
    },
    [updated(attempts, attempt, { status: 'reported', heldBy }), ...also],
  )
}
