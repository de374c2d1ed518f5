import type { Stream } from '../../db/port.ts'
import { updated } from '../../events/change.ts'
import { workingAgent } from '../../work/agents/store.ts'
import type { Attempt } from '../../work/attempts/contract.ts'
import { attempts } from '../../work/attempts/store.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { moveBrief, nameOf } from '../../work/briefs/moves.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { RunScope } from '../../work/scope.ts'

export interface Claimed {
  run: Run
  brief: Brief
  attempt: Attempt
  /** The streams of the budgets above the brief. */
  streams?: readonly Stream[]
}

/** Facts about an agent that are known once its process exists. */
export type Start = Pick<Attempt, 'pid' | 'promptSha256' | 'systemPromptSha256' | 'session' | 'boxed'> &
  Partial<Pick<Attempt, 'inputsSeen'>>

/** Records the start of an agent: from now on the brief is `working`. */
export async function recordStart(
  scope: RunScope,
  brief: Brief,
  attempt: Attempt,
  start: Start,
): Promise<{ brief: Brief; attempt: Attempt }> {
  const { tx } = scope
  const patch = { status: 'running' as const, ...start, startedAt: tx.at }
  const how = [attempt.runtime, attempt.simulated ? 'simulated' : null, start.boxed ? null : 'not boxed'].filter(
    (part) => part !== null,
  )
  const working = await moveBrief(scope, brief, 'working', {
    kind: 'spawned',
    code: 'START',
    message: `${nameOf(scope, brief)} attempt ${attempt.fence} (${how.join(', ')})`,
    attemptId: attempt.id,
    data: { pid: start.pid, runtime: attempt.runtime, simulated: attempt.simulated, boxed: start.boxed },
    also: [updated(attempts, attempt, patch), workingAgent(attempt)],
  })
  return { brief: working, attempt: { ...attempt, ...patch } }
}
