import type { Brief } from '../work/briefs/contract.ts'
import { liveStatuses } from '../work/briefs/states.ts'
import { findBrief, listVerifiersOf } from '../work/briefs/store.ts'
import { withdrawQuestions } from '../work/questions/ask.ts'
import { holdDependents } from '../work/briefs/dependents.ts'
import { closeGates } from '../work/gates/open.ts'
import { type RunScope } from '../work/scope.ts'
import { isWaitingFor } from '../work/verdicts/moves.ts'
import { moveBrief } from '../work/briefs/moves.ts'

/** One brief that nobody is at work on is given up, with everything that waits because of it. */
export async function cancelBrief(scope: RunScope, brief: Brief, reason: string | undefined): Promise<Brief> {
  const cancelled = await moveBrief(scope, brief, 'cancelled', {
    kind: 'brief_cancelled',
    code: 'CANCELLED',
    message: `${brief.key} cancelled${reason === undefined ? '' : `: ${reason}`}`,
    patch: { heldBy: null },
    also: await holdDependents(scope, brief),
  })
  for (const verifier of await listVerifiersOf(scope.tx, brief.id))
    // One at work finds out by itself that what it judges has gone on.
    if (!liveStatuses.includes(verifier.status))
      await moveBrief(scope, verifier, 'cancelled', {
        kind: 'brief_cancelled',
        level: 'verbose',
        message: `${verifier.key}: there is nothing to judge any more`,
      })
  const judged = brief.verifies === null ? undefined : await findBrief(scope.tx, brief.verifies)
  // Who was to judge it does not: that is for somebody to decide, or it would wait for ever.
  if (judged !== undefined && isWaitingFor(judged, brief))
    await scope.decide({ kind: 'brief_unjudged', brief: judged, reason: `${brief.key} was cancelled` })
  await withdrawQuestions(scope, brief.id)
  await closeGates(scope, `brief:${brief.id}`)
  if (scope.run.endedAt === null) await scope.decide({ kind: 'brief_cancelled', brief: cancelled })
  return cancelled
}
