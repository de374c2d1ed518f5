import { endedAgent } from '../agents/store.ts'
import { record, updated } from '../../events/change.ts'
import type { Attempt } from './contract.ts'
import { attempts, findAttempt, listLiveAttemptsOfRun } from './store.ts'
import type { Brief } from '../briefs/contract.ts'
import { giveBack } from '../budgets/moves.ts'
import type { RunScope } from '../scope.ts'

/**
 * Ends every attempt of a run that is being ended. Its agents and the checks of its evidence are interrupted after
 * commit; their later writes are refused.
 */
export async function endLiveAttempts(scope: RunScope, why: string): Promise<void> {
  const live = await listLiveAttemptsOfRun(scope.tx, scope.run.id)
  for (const attempt of live) await endLive(scope, attempt, why)
  if (live.length > 0)
    interruptAfterCommit(
      scope,
      live.map(({ id }) => id),
    )
}

/** Ends the attempt of one brief in the same way. */
export async function endLiveAttemptOf(scope: RunScope, brief: Brief, why: string): Promise<void> {
  const attempt = brief.attemptId === null ? undefined : await findAttempt(scope.tx, brief.attemptId)
  if (attempt === undefined || attempt.status === 'ended') return
  await endLive(scope, attempt, why)
  interruptAfterCommit(scope, [attempt.id])
}

/** Interrupts agents and checks here and in the other processes of a shared store. */
export function interruptAfterCommit({ tx, interrupt }: RunScope, ids: readonly string[]): void {
  tx.affectsOthers('agents')
  tx.afterCommit(() => interrupt(ids))
}

async function endLive(scope: RunScope, attempt: Attempt, why: string): Promise<void> {
  const { tx } = scope
  await record(
    tx,
    {
      kind: 'turn_ended',
      by: scope.by,
      runId: attempt.runId,
      briefId: attempt.briefId,
      attemptId: attempt.id,
      level: 'verbose',
      message: `attempt ${attempt.fence} ended: interrupted, ${why}`,
      data: { outcome: 'interrupted' },
    },
    [
      updated(attempts, attempt, {
        status: 'ended',
        outcome: 'interrupted',
        detail: why,
        heldBy: null,
        endedAt: tx.at,
      }),
      // If evidence is being checked, the agent of the attempt has ended before.
      ...(attempt.status === 'launching' || attempt.status === 'running' ? [endedAgent(attempt, tx.at)] : []),
      ...(await giveBack(scope, attempt)),
    ],
  )
}
