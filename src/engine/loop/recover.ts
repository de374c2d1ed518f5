import { readOutbox } from '../../adapters/runtime/outbox.ts'
import type { Attempt } from '../../work/attempts/contract.ts'
import { releaseAttempt } from '../../work/attempts/hold.ts'
import { findAttempt, listEnded, listLiveAttempts } from '../../work/attempts/store.ts'
import { updated } from '../../events/change.ts'
import { interruptionLimit } from '../../work/briefs/retry.ts'
import { briefs, findBrief } from '../../work/briefs/store.ts'
import { findRun } from '../../work/runs/store.ts'
import { recordEnd } from '../attempt/record-end.ts'
import { type BroughtReport, readReport } from '../attempt/report.ts'
import type { Claimed } from '../attempt/start.ts'
import { workspaceRequest } from '../attempt/workspace.ts'
import type { EngineDeps } from '../deps.ts'
import { blockWithFault } from '../outcome/fault.ts'
import { persist } from '../persist.ts'
import { listDeadWorkers } from '../workers-store.ts'

/**
 * Marks the attempts that no process follows any more. Those of an earlier boot of this worker are certainly abandoned,
 * because the worker owns its home. So are those of its own that it does not hold: the response to their commit was
 * lost. Attempts of another worker are abandoned when its heartbeat has been missing for a minute. Nothing is examined
 * here: an attempt with a report becomes claimable work, any other is interrupted.
 */
export async function recoverAttempts(deps: EngineDeps, isHeld: (attemptId: string) => boolean): Promise<number> {
  const abandoned = await deps.db.read(async (tx) => {
    const live = (await listLiveAttempts(tx)).filter(({ status }) => status !== 'reported')
    if (live.length === 0) return []
    const dead = new Set(await listDeadWorkers(tx))
    return live.filter(({ id, worker }) =>
      worker === deps.worker ? !isHeld(id) : isEarlierBoot(deps.worker, worker) || dead.has(workerId(worker)),
    )
  })
  if (abandoned.length === 0) return 0
  deps.chaosPoint('recovery.begun')
  const killed = await deps.killSurvivors(abandoned.map((attempt) => attempt.id))
  deps.log.info('recovering abandoned attempts', { attempts: abandoned.length, killedProcesses: killed })
  for (const attempt of abandoned) {
    // An attempt that cannot be marked must not keep the others, or the daemon, from starting.
    await mark(deps, attempt).catch((error: unknown) => {
      deps.log.error('an abandoned attempt could not be marked', { attempt: attempt.id, error: String(error) })
    })
    deps.chaosPoint('recovery.attempt_marked')
  }
  return abandoned.length
}

/**
 * Kills the processes of ended attempts: a process that is killed after the record of their end, while it interrupts
 * them, leaves them behind, and no live attempt leads to them. For the start only, when this process has none.
 */
export async function killOrphans(deps: EngineDeps): Promise<void> {
  const launchIds = new Set(await deps.listSurvivors?.())
  const orphans = await deps.db.read((tx) => listEnded(tx, [...launchIds]))
  if (orphans.length === 0) return
  const killed = await deps.killSurvivors(orphans)
  deps.log.warn('processes of ended attempts were still alive', { attempts: orphans, killedProcesses: killed })
}

async function mark(deps: EngineDeps, attempt: Attempt): Promise<void> {
  if (attempt.status === 'examining') return release(deps, attempt)
  const { run, brief } = await deps.db.read(async (tx) => ({
    run: await findRun(tx, attempt.runId),
    brief: await findBrief(tx, attempt.briefId),
  }))
  if (run === undefined || brief === undefined) return
  await recordEnd(
    deps,
    { run, brief, attempt },
    {
      ended: { kind: 'ended', exitCode: 0, signal: null },
      stopped: null,
      reports: await findReports(deps, { run, brief, attempt }),
      reason: attempt.worker === deps.worker ? 'record_lost' : 'daemon_restart',
    },
    { mayExamine: () => false },
  )
}

/**
 * Finds the report that an agent left in its outbox before it was ended, which no process has read yet. Before an
 * attempt runs, the outbox may still be that of the attempt before it.
 */
async function findReports(deps: EngineDeps, { run, brief, attempt }: Claimed): Promise<BroughtReport[]> {
  if (attempt.report !== null || attempt.status !== 'running' || brief.kind === 'verify') return []
  const workspace = await deps.workspaces.open(workspaceRequest(deps, run, brief)).catch(() => null)
  const [event] = workspace === null ? [] : await readOutbox(workspace)
  return event?.kind === 'report' ? [{ report: readReport(event.report), from: 'file' }] : []
}

/**
 * Releases an abandoned examination. One during which the daemon has died again and again may be the cause, so the
 * operator is asked before it is repeated.
 */
async function release(deps: EngineDeps, { id, runId, briefId, worker }: Attempt): Promise<void> {
  const write = (): Promise<'released' | 'blocked'> =>
    deps.db.write([`run:${runId}`], async (tx) => {
      const attempt = await findAttempt(tx, id)
      const brief = await findBrief(tx, briefId)
      // Another process may have taken it over meanwhile.
      if (attempt?.status !== 'examining' || attempt.worker !== worker || brief === undefined) return 'released'
      const interruptions = brief.interruptions + (worker === deps.worker ? 0 : 1)
      if (interruptions >= interruptionLimit) return 'blocked'
      await releaseAttempt({ tx, by: 'engine' }, attempt, 'its evidence is to be checked again', [
        updated(briefs, brief, { interruptions, updatedAt: tx.at }),
      ])
      return 'released'
    })
  if ((await persist(deps, write)) === 'released') return
  const reason = `the daemon died ${interruptionLimit} times in a row while its evidence was checked`
  await blockWithFault(deps, { runId, briefId, attemptId: id }, reason)
}

const workerId = (worker: string): string => worker.slice(0, worker.lastIndexOf(':'))

const bootOf = (worker: string): number => Number(worker.slice(worker.lastIndexOf(':') + 1))

/** Reports whether the other boot is the earlier one. An outdated process must not take its successor's work. */
const isEarlierBoot = (mine: string, other: string): boolean =>
  workerId(mine) === workerId(other) && bootOf(other) < bootOf(mine)
