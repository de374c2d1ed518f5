import { endedAgent } from '../agents/store.ts'
import { record, updated } from '../events/change.ts'
import { attempts, listLiveAttemptsOfRun } from '../work/attempts/store.ts'
import type { RunScope } from './scope.ts'

/** Ends what is under way in a run that is being ended. The agents are killed after commit; whatever they still write is refused by then. */
export async function endLiveAttempts(scope: RunScope, why: string): Promise<string[]> {
  const { tx } = scope
  const live = await listLiveAttemptsOfRun(tx, scope.run.id)
  for (const attempt of live)
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
        updated(attempts, attempt, { status: 'ended', outcome: 'interrupted', detail: why, endedAt: tx.at }),
        endedAgent(attempt, tx.at),
      ],
    )
  return live.map((attempt) => attempt.id)
}
