import type { Attempt } from '../../work/attempts/contract.ts'
import { listLiveAttempts } from '../../work/attempts/store.ts'
import { findBrief } from '../../work/briefs/store.ts'
import { findRun } from '../../work/runs/store.ts'
import { conclude } from '../attempt/conclude.ts'
import { workspaceRequest } from '../attempt/workspace.ts'
import type { EngineDeps } from '../deps.ts'
import { listDeadWorkers } from './workers-store.ts'

/**
 * Brings attempts that nobody runs any more to their end. Those of an earlier boot of this worker are certainly dead
 * (it owns its home); another worker's only after its heartbeat has been missing for a minute.
 * A report that was already stored is not thrown away: its evidence is looked at as if the agent had just ended.
 */
export async function recoverAttempts(deps: EngineDeps): Promise<number> {
  const abandoned = await deps.db.read(async (tx) => {
    const dead = new Set(await listDeadWorkers(tx, deps.clock.nowMs()))
    const live = await listLiveAttempts(tx)
    return live.filter(
      (attempt) =>
        attempt.worker !== deps.worker &&
        (isEarlierBoot(deps.worker, attempt.worker) || dead.has(workerId(attempt.worker))),
    )
  })
  if (abandoned.length === 0) return 0
  deps.chaosPoint('recovery.begun')
  const killed = await deps.killSurvivors(abandoned.map((attempt) => attempt.id))
  deps.log.info('recovering attempts of an earlier process', { attempts: abandoned.length, killedProcesses: killed })
  for (const attempt of abandoned) {
    // One that cannot be brought to its end must not keep the others, or the daemon, from starting.
    await takeUp(deps, attempt).catch((error: unknown) => {
      deps.log.error('an attempt could not be taken up', { attempt: attempt.id, error: String(error) })
    })
    deps.chaosPoint('recovery.attempt_interrupted')
  }
  return abandoned.length
}

async function takeUp(deps: EngineDeps, attempt: Attempt): Promise<void> {
  const { run, brief } = await deps.db.read(async (tx) => ({
    run: await findRun(tx, attempt.runId),
    brief: await findBrief(tx, attempt.briefId),
  }))
  if (run === undefined || brief === undefined) return
  // Also where no report was seen: its agent may have made one after we looked, and before it was ended.
  const workspace = await deps.workspaces.prepare(workspaceRequest(deps, run, brief)).catch(() => null)
  await conclude(deps, { run, brief, attempt }, workspace, {
    ended: { kind: 'ended', exitCode: 0, signal: null },
    stopped: null,
    report: undefined,
    reason: 'daemon_restart',
  })
}

const workerId = (worker: string): string => worker.slice(0, worker.lastIndexOf(':'))

const bootOf = (worker: string): number => Number(worker.slice(worker.lastIndexOf(':') + 1))

/** Never the other way round: a process that was left behind must not take its successor's work. */
const isEarlierBoot = (mine: string, other: string): boolean =>
  workerId(mine) === workerId(other) && bootOf(other) < bootOf(mine)
