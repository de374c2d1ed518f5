import { agents, nextAgentIds, workingAgent } from '../agents/store.ts'
import type { Stream, Tx } from '../db/port.ts'
import { inserted, updated } from '../events/change.ts'
import type { Attempt } from '../work/attempts/contract.ts'
import { attempts } from '../work/attempts/store.ts'
import type { Brief } from '../work/briefs/contract.ts'
import { listBriefsById, listReadyBriefs } from '../work/briefs/store.ts'
import type { Run } from '../work/runs/contract.ts'
import { findRun } from '../work/runs/store.ts'
import type { EngineDeps } from './deps.ts'
import { moveBrief, type RunScope, scopeOf } from './scope.ts'

export interface Claimed {
  run: Run
  brief: Brief
  attempt: Attempt
  /** Of the budgets above it. */
  streams?: readonly Stream[]
}

/**
 * Takes up to `limit` ready briefs, one transaction per run. Finding is a cheap look without locks; taking happens
 * under the run's stream, where each brief is looked at again: of two workers that saw the same one, one gets it.
 */
export async function claimBriefs(deps: EngineDeps, limit: number): Promise<Claimed[]> {
  const ready = await deps.db.read((tx) => listReadyBriefs(tx, limit))
  const byRun = Map.groupBy(ready, (each) => each.runId)
  const results = await Promise.allSettled(
    [...byRun].map(([runId, found]) =>
      deps.db.write([`run:${runId}`], (tx) =>
        claimOfRun(
          deps,
          tx,
          runId,
          found.map((each) => each.briefId),
        ),
      ),
    ),
  )
  // What was taken is ours to run, also when another run's transaction failed.
  return results.flatMap((result) => {
    if (result.status === 'fulfilled') return result.value
    deps.log.error('a run’s briefs could not be claimed', { error: String(result.reason) })
    return []
  })
}

async function claimOfRun(deps: EngineDeps, tx: Tx, runId: string, briefIds: readonly string[]): Promise<Claimed[]> {
  const run = await findRun(tx, runId)
  if (run === undefined || run.status !== 'running' || run.briefsFailed > 0) return []
  const scope = scopeOf(deps, tx, run, 'engine')
  const ready = (await listBriefsById(tx, briefIds)).filter(isReady)
  if (ready.length === 0) return []
  const firstAgentId = await nextAgentIds(tx, ready.length)
  const claimed: Claimed[] = []
  for (const [index, brief] of ready.entries()) claimed.push(await claim(deps, scope, brief, firstAgentId + index))
  return claimed
}

const isReady = (brief: Brief): boolean =>
  brief.status === 'pending' && brief.unmetDependencies === 0 && brief.heldBy === null

async function claim(deps: EngineDeps, scope: RunScope, brief: Brief, agentId: number): Promise<Claimed> {
  const { tx, run } = scope
  // A runtime that is gone since the run was made fails the launch; here it would hold up everybody's briefs.
  const capabilities = deps.runtimes.get(brief.runtime)?.capabilities
  const fence = brief.attempts + 1
  const attempt: Attempt = {
    id: deps.ids.next('attempt'),
    runId: run.id,
    briefId: brief.id,
    agentId,
    fence,
    worker: deps.worker,
    runtime: brief.runtime,
    simulated: capabilities?.simulated ?? false,
    boxed: capabilities?.boxed ?? false,
    status: 'launching',
    pid: null,
    outcome: null,
    detail: null,
    report: null,
    promptSha256: null,
    inputTokens: 0,
    outputTokens: 0,
    costMicros: 0,
    reservedTokens: 0,
    reservedMicros: 0,
    createdAt: tx.at,
    startedAt: null,
    endedAt: null,
  }
  const agent = {
    id: agentId,
    personaId: brief.personaId,
    positionId: null,
    previousAgentId: null,
    runId: run.id,
    runtime: brief.runtime,
    state: 'starting' as const,
    createdAt: tx.at,
    endedAt: null,
  }
  const assigned = await moveBrief(scope, brief, 'assigned', {
    kind: 'assigned',
    level: 'verbose',
    message: `${brief.key} assigned to agent ${agentId}`,
    attemptId: attempt.id,
    data: { fence, worker: deps.worker },
    patch: { attempts: fence, attemptId: attempt.id },
    also: [inserted(agents, agent), inserted(attempts, attempt)],
  })
  return { run, brief: assigned, attempt }
}

/** The agent exists: from now on the brief is being worked on. */
export async function recordStart(
  scope: RunScope,
  brief: Brief,
  attempt: Attempt,
  start: { pid: number | null; promptSha256: string | null },
): Promise<{ brief: Brief; attempt: Attempt }> {
  const { tx } = scope
  const patch = { status: 'running' as const, pid: start.pid, promptSha256: start.promptSha256, startedAt: tx.at }
  const how = [attempt.runtime, attempt.simulated ? 'simulated' : null, attempt.boxed ? null : 'not boxed'].filter(
    (part) => part !== null,
  )
  const working = await moveBrief(scope, brief, 'working', {
    kind: 'spawned',
    code: 'START',
    message: `${brief.key} attempt ${attempt.fence} (${how.join(', ')})`,
    attemptId: attempt.id,
    data: { pid: start.pid, runtime: attempt.runtime, simulated: attempt.simulated, boxed: attempt.boxed },
    also: [updated(attempts, attempt, patch), workingAgent(attempt)],
  })
  return { brief: working, attempt: { ...attempt, ...patch } }
}
