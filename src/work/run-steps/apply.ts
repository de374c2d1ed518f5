import type { Db, Tx } from '../../db/port.ts'
import { inserted, record } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import type { Report } from '../attempts/contract.ts'
import { findAttempt } from '../attempts/store.ts'
import type { Brief } from '../briefs/contract.ts'
import { listBriefs } from '../briefs/store.ts'
import type { Run, RunPurpose } from '../runs/contract.ts'
import { findRun } from '../runs/store.ts'
import type { RunStep } from './contract.ts'
import { findRunStep, runSteps } from './store.ts'

export interface FinishedStep {
  readonly run: Run
  readonly brief: Brief
  /** The report of its last attempt. */
  readonly report: Report
}

/**
 * Applies the output of a finished step, in the transaction that records the step: its writes happen once. It
 * may change rows of the run, and of the mission and the other rows of its organisation. Returns the result to keep.
 */
export type StepHandler = (tx: Tx, step: FinishedStep) => Promise<Json>
export type StepHandlers = Readonly<Record<RunPurpose['kind'], StepHandler>>

export type RunSteps = ReturnType<typeof createRunSteps>

export function createRunSteps({ db, handlers }: { db: Db; handlers: StepHandlers }) {
  return {
    /**
     * Applies the output of a run that has ended. The job that calls it may come again, after a kill or in another
     * process: the lock of the run's stream and the key of the row let the first one count.
     */
    async apply(runId: string): Promise<void> {
      const known = await db.read((tx) => findRun(tx, runId))
      if (known?.configuration.purpose === undefined || known.endedAt === null) return
      await db.write([`run:${runId}`, `org:${known.organisationId}`], (tx) => applyOnce(tx, runId, handlers))
    },
  }
}

async function applyOnce(tx: Tx, runId: string, handlers: StepHandlers): Promise<void> {
  const run = await findRun(tx, runId)
  const purpose = run?.configuration.purpose
  const brief = (await listBriefs(tx, runId)).find(({ kind }) => kind === 'work')
  if (run === undefined || purpose === undefined || brief === undefined) throw bug(`run ${runId} is no step`)
  if ((await findRunStep(tx, brief.id)) !== undefined) return
  const status = run.status as RunStep['status']
  const attempt = brief.attemptId === null ? undefined : await findAttempt(tx, brief.attemptId)
  const report = status === 'done' ? (attempt?.report ?? null) : null
  const handler = handlers[purpose.kind] as StepHandler | undefined
  if (handler === undefined) throw bug(`no handler applies the output of a step "${purpose.kind}"`)
  const result = report === null ? null : await handler(tx, { run, brief, report })
  const step: RunStep = { briefId: brief.id, runId, purpose: purpose.kind, status, result, appliedAt: tx.at }
  await record(
    tx,
    {
      kind: 'step_applied',
      by: 'daemon',
      runId,
      briefId: brief.id,
      level: 'verbose',
      message: report === null ? `${purpose.kind} ended without an output` : `the output of ${purpose.kind} is applied`,
      data: { purpose: purpose.kind, status, applied: report !== null },
    },
    [inserted(runSteps, step)],
  )
}
