import { endedAgent } from '../agents/store.ts'
import { type Change, record, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import type { Attempt } from './contract.ts'
import { attempts, findAttempt, listLiveAttemptsOfRun } from './store.ts'
import type { Brief } from '../briefs/contract.ts'
import { findBrief } from '../briefs/store.ts'
import { giveBack } from '../budgets/moves.ts'
import type { RunScope } from '../scope.ts'

/** Ends what is under way in a run that is being ended. The agents are killed after commit; whatever they still write is refused by then. */
export async function endLiveAttempts(scope: RunScope, why: string): Promise<string[]> {
  const { tx } = scope
  const live = await listLiveAttemptsOfRun(tx, scope.run.id)
  for (const attempt of live) await endLive(scope, attempt, why)
  return live.map((attempt) => attempt.id)
}

/** The same for one brief that others stand for now. */
export async function endLiveAttemptOf(scope: RunScope, brief: Brief, why: string): Promise<void> {
  const attempt = brief.attemptId === null ? undefined : await findAttempt(scope.tx, brief.attemptId)
  if (attempt === undefined || attempt.status === 'ended') return
  await endLive(scope, attempt, why)
  scope.tx.afterCommit(() => scope.interrupt([attempt.id]))
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
        reservedTokens: 0,
        reservedMicros: 0,
        endedAt: tx.at,
      }),
      endedAgent(attempt, tx.at),
      ...(await unused(scope, attempt)),
    ],
  )
}

async function unused(scope: RunScope, attempt: Attempt): Promise<Change[]> {
  if (attempt.reservedTokens === 0 && attempt.reservedMicros === 0) return []
  const brief = await findBrief(scope.tx, attempt.briefId)
  if (brief === undefined) throw bug(`attempt ${attempt.id} has no brief`)
  return giveBack(scope, brief.personaId, attempt)
}
