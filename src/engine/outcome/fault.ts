import type { Tx } from '../../db/port.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import { holdAttempt } from '../../work/attempts/hold.ts'
import { endLiveAttemptOf } from '../../work/attempts/end-live.ts'
import { findAttempt } from '../../work/attempts/store.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { failBrief, moveBrief, nameOf } from '../../work/briefs/moves.ts'
import { canMove } from '../../work/briefs/states.ts'
import { findBrief } from '../../work/briefs/store.ts'
import { isGivenUp } from '../../work/briefs/unblock.ts'
import { keepPaused } from '../../work/gates/open.ts'
import { askQuestion, claimAuthor } from '../../work/questions/ask.ts'
import { faultOptions } from '../../work/questions/options.ts'
import type { Run } from '../../work/runs/contract.ts'
import { findRun } from '../../work/runs/store.ts'
import { openScope, type RunScope, scopeOf, withoutPlaybook } from '../../work/scope.ts'
import type { EngineDeps } from '../deps.ts'
import { isPassing, persist } from '../persist.ts'
import { surfaceFailures } from './end.ts'

export interface FaultPlace {
  readonly runId: string
  readonly briefId: string
  /** Null: the fault concerns no running attempt. */
  readonly attemptId: string | null
  /** The worker that examines the attempt: if another one has taken it over, the fault concerns nobody. */
  readonly examiner?: string
}

/**
 * Runs a write that asks a playbook. If it throws twice, the fault is Agency's: the brief must not wait silently, so it
 * is blocked with a question, without asking the playbook again; `rescue` first records the part that needs no
 * playbook. Errors of the store are left to the caller, which retries.
 */
export async function withNet<T>(
  deps: EngineDeps,
  place: FaultPlace,
  write: () => Promise<T>,
  rescue: () => Promise<void> = async () => {},
): Promise<T | null> {
  try {
    return await write()
  } catch (error) {
    if (isPassing(error)) throw error
  }
  try {
    return await write()
  } catch (error) {
    if (isPassing(error)) throw error
    deps.log.error('a result could not be recorded; its brief is blocked with a question', {
      run: place.runId,
      attempt: place.attemptId,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
    await rescue().catch((failure: unknown) => {
      if (isPassing(failure)) throw failure
      deps.log.error('a part of a result is lost', { attempt: place.attemptId, error: String(failure) })
    })
    await blockWithFault(deps, place, `Agency failed to record its result: ${messageOf(error)}`)
    return null
  }
}

/**
 * Blocks a brief with a question of class `fault`. An attempt with a report keeps it and is examined again after the
 * answer; any other attempt ends. The playbook is asked only about the failure of a sibling that has waited for this
 * attempt, and about a brief that the operator has abandoned meanwhile; if it throws, the brief is blocked all the same.
 */
export const blockWithFault = (deps: EngineDeps, place: FaultPlace, reason: string): Promise<void> =>
  persist(deps, async () => {
    try {
      await deps.db.write([`run:${place.runId}`], async (tx) => {
        await block(deps, tx, place, reason, failAbandoned)
        const scope = await openScope(deps, tx, place.runId)
        if (scope !== null) await surfaceFailures(scope)
      })
    } catch (error) {
      if (isPassing(error)) throw error
      await deps.db.write([`run:${place.runId}`], (tx) => block(deps, tx, place, reason))
    }
  })

async function block(
  deps: EngineDeps,
  tx: Tx,
  { runId, briefId, attemptId, examiner }: FaultPlace,
  reason: string,
  failAbandoned?: (scope: RunScope, brief: Brief, reason: string) => Promise<boolean>,
): Promise<void> {
  const run = await findRun(tx, runId)
  const brief = await findBrief(tx, briefId)
  if (run === undefined || brief === undefined || run.endedAt !== null) return
  const attempt = attemptId === null ? undefined : await findAttempt(tx, attemptId)
  if (attemptId !== null && (attempt === undefined || attempt.status === 'ended')) return
  if (examiner !== undefined && (attempt?.status !== 'examining' || attempt.worker !== examiner)) return
  const scope = scopeWithoutPlaybook(deps, tx, run)
  if (!canMove(brief.status, 'blocked')) {
    deps.log.error('a brief cannot be blocked', { run: runId, brief: briefId, status: brief.status })
    return
  }
  if ((await failAbandoned?.(scopeOf(deps, tx, run, 'engine'), brief, reason)) === true) return
  const question = await askQuestion(scope, {
    brief,
    kind: 'technical',
    class: 'fault',
    text: `${brief.key} is stuck: ${shorten(redact(reason), 1_000)}`,
    context: shorten(brief.objective, 1_000),
    options: faultOptions,
    recommendation: 'retry',
    risk: 'medium',
  })
  if (attempt !== undefined && attempt.ending !== null) await holdAttempt(scope, attempt, `question:${question.id}`)
  else if (attempt !== undefined) await endLiveAttemptOf(scope, brief, shorten(reason, 500))
  await moveBrief(scope, brief, 'blocked', {
    kind: 'escalated',
    code: 'ESCALATE',
    message: `${nameOf(scope, brief)} is blocked: ${shorten(redact(reason), 500)}`,
    data: { class: 'fault' },
  })
}

/** Fails a brief that the operator abandoned while it was at work, with any outcome; resolves to whether it was. */
async function failAbandoned(scope: RunScope, brief: Brief, reason: string): Promise<boolean> {
  if (!(await isGivenUp(scope, brief))) return false
  await endLiveAttemptOf(scope, brief, shorten(reason, 500))
  await failBrief(scope, brief, 'abandoned by the operator')
  return true
}

export const scopeWithoutPlaybook = (deps: EngineDeps, tx: Tx, run: Run): RunScope =>
  scopeOf(withoutPlaybook(deps, run), tx, run, 'engine')

/** Pauses a run whose briefs cannot be claimed, with a question of class `fault`, without asking its playbook. */
export const pauseWithFault = (deps: EngineDeps, runId: string, reason: string): Promise<void> =>
  deps.db.write([`run:${runId}`], async (tx) => {
    const run = await findRun(tx, runId)
    if (run === undefined || run.status !== 'running') return
    const scope = scopeWithoutPlaybook(deps, tx, run)
    await keepPaused(scope, 'its briefs could not be claimed')
    await askQuestion(scope, {
      brief: null,
      kind: 'technical',
      class: 'fault',
      text: `The run is stuck: ${shorten(redact(reason), 1_000)}`,
      context: shorten(run.goalAnchor, 1_000),
      options: [
        { key: 'retry', label: 'Try again', detail: 'The run continues.' },
        { key: 'abandon', label: 'Give up', detail: 'The run fails.' },
      ],
      recommendation: 'retry',
      risk: 'medium',
      askedBy: claimAuthor,
    })
  })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
