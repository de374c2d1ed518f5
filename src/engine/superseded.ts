import type { Brief } from '../work/briefs/contract.ts'
import { endStatuses, liveStatuses } from '../work/briefs/states.ts'
import { findBrief, listVerifiersOf } from '../work/briefs/store.ts'
import { withdrawQuestions } from '../work/questions/ask.ts'
import { closeGates } from '../work/gates/open.ts'
import { endLiveAttemptOf } from '../work/attempts/end-live.ts'
import { type RunScope } from '../work/scope.ts'
import { moveBrief, nameOf } from '../work/briefs/moves.ts'

/** What others do instead. Agents at work on them are ended; nobody is asked what becomes of the run. */
export async function supersede(scope: RunScope, superseded: readonly Brief[], reason: string): Promise<void> {
  for (const { id } of superseded) {
    const brief = await findBrief(scope.tx, id)
    if (brief === undefined || endStatuses.includes(brief.status)) {
      if (brief?.status !== 'failed') continue
    }
    for (const verifier of await listVerifiersOf(scope.tx, id)) await cancel(scope, verifier, reason)
    await cancel(scope, brief as Brief, reason)
    await withdrawQuestions(scope, id)
    await closeGates(scope, `brief:${id}`)
  }
}

async function cancel(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  if (liveStatuses.includes(brief.status)) await endLiveAttemptOf(scope, brief, reason)
  await moveBrief(scope, brief, 'cancelled', {
    kind: 'brief_cancelled',
    level: 'verbose',
    message: `${nameOf(brief)} is cancelled: ${reason}`,
    data: { reason },
    patch: { heldBy: null },
  })
}
