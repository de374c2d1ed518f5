import type { Stream } from '../../db/port.ts'
import { record, updated } from '../../events/change.ts'
import type { ChaosPointName } from '../../kernel/chaos-point.ts'
import { endedAgent } from '../../work/agents/store.ts'
import { type Attempt, hasAsked, type Report } from '../../work/attempts/contract.ts'
import { attempts, findAttempt, findProgress } from '../../work/attempts/store.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { giveBack } from '../../work/budgets/moves.ts'
import { eventTags, nameOf } from '../../work/briefs/moves.ts'
import { openScope, type RunScope } from '../../work/scope.ts'
import { type PricedCall, recordSpends } from '../../work/spends/record.ts'
import { findSpend, spendId } from '../../work/spends/store.ts'
import type { EngineDeps } from '../deps.ts'
import { type AttemptEnd, endAttempt } from '../outcome/end.ts'
import { withNet } from '../outcome/fault.ts'
import { isReplaced } from '../workers-store.ts'
import { isPassing, persist } from '../persist.ts'
import type { Classified } from './classify.ts'
import { type AgentEnd, classifyEnd, endingOf, interruptionReason } from './classify-end.ts'
import type { BroughtReport } from './report.ts'
import { type Claimed, recordStart } from './start.ts'

export interface Conclusion extends AgentEnd {
  /** The reports that the runtime delivered, beside the one that the agent sent through the API. */
  reports: readonly BroughtReport[]
  /** Model calls that are not in the ledger yet. */
  calls?: readonly PricedCall[]
  /** The streams of its budgets, as far as they are known. */
  streams?: readonly Stream[]
}

/** The result of an examination that was made before the end of the agent is recorded. */
export interface EarlyEnd {
  /** The classification of the agent's end that was examined. */
  readonly classified: Classified
  /** The report that the agent had sent through the API when the examination began. */
  readonly sent: Report | null
  readonly end: AttemptEnd
}

export interface RecordEndOptions {
  /** Reports whether this process may examine the attempt: it has a slot, and is not cut off from the store. */
  readonly mayExamine: () => boolean
  readonly early?: EarlyEnd | null
}

/**
 * Records the end of an agent in one transaction: its calls, its exit and its report. An attempt with a report ends with
 * it if it was examined early. Otherwise it waits for its examination, which this process begins at once if
 * `mayExamine`; an attempt without a report ends here. Resolves to the attempt if this process is to examine it.
 */
export async function recordEnd(
  deps: EngineDeps,
  { run, brief, attempt: known }: Claimed,
  conclusion: Conclusion,
  { mayExamine: mayExamineNow, early = null }: RecordEndOptions,
): Promise<Claimed | null> {
  let isRepeated = false
  const write = (examined: EarlyEnd | null): Promise<Recorded> =>
    deps.db.write(streamsOf(run.id, conclusion), async (tx) => {
      // Asked for each try: while the store took no record, the process may have been cut off.
      const mayExamine = mayExamineNow()
      const scope = await openScope(deps, tx, run.id)
      const progress = await findProgress(tx, known.id)
      if (scope === null || progress === undefined) return nothing
      let current = brief
      let attempt: Attempt = { ...known, ...progress }
      const isOver = attempt.status !== 'launching' && attempt.status !== 'running'
      const isExamined = examined !== null && isSameReport(examined.sent, attempt.report)
      const classified = isExamined
        ? examined.classified
        : classifyEnd(conclusion, {
            kind: brief.kind,
            brought: conclusion.reports,
            sent: attempt.report,
            contradiction: attempt.contradiction,
          })
      // The agent finished before its start was recorded: the daemon died between the two.
      if (attempt.status === 'launching' && conclusion.startFailed !== true && classified.outcome !== 'interrupted')
        ({ brief: current, attempt } = await recordStart(scope, brief, attempt, unseenStart(attempt)))
      // Calls cost money, also those of an attempt that was ended by another process.
      const { calls = [] } = conclusion
      if (calls.length > 0 && !(isRepeated && (await isInLedger(scope, attempt, calls))))
        ({ brief: current, attempt } = await recordSpends(scope, current, attempt, calls, { goOn: false }))
      // The first try may have been committed, although its response was lost.
      const isOurs = mayExamine && isRepeated && attempt.status === 'examining' && attempt.worker === deps.worker
      isRepeated = true
      if (isOver && isOurs) attempt = (await findAttempt(tx, attempt.id)) ?? attempt
      if (isOver) return isOurs ? { ...nothing, examined: { run: scope.run, brief: current, attempt } } : nothing
      // Its successor ends the agents of a process that was replaced, and then records that they were interrupted.
      if (classified.outcome === 'crash' && deps.db.isShared && (await isReplaced(tx, deps.worker))) return nothing
      const ending = endingOf(classified, conclusion)
      if (isExamined) {
        // The engine looks for work when it has counted the agent's slot as free; another process learns from the commit.
        if (!deps.db.isShared) tx.makesNothingReady()
        await endAttempt(scope, current, attempt, examined.end)
        return { examined: null, points: pointsOf(scope) }
      }
      if (ending !== null) {
        const status = mayExamine ? 'examining' : 'reported'
        const reported = await recordReport(scope, current, attempt, {
          ending,
          status,
          worker: mayExamine ? deps.worker : attempt.worker,
          report: classified.report as Report,
          ...exitOf(conclusion),
        })
        // The engine looks for work when it has counted the agent's slot as free, which is after this commit.
        tx.makesNothingReady()
        const examined = mayExamine ? { run: scope.run, brief: current, attempt: reported } : null
        return { examined, points: ['attempt.reported'] }
      }
      await endWithoutReport(scope, current, attempt, classified, conclusion)
      return { examined: null, points: pointsOf(scope) }
    })
  const place = { runId: run.id, briefId: brief.id, attemptId: known.id }
  const rescue = (): Promise<void> => recordCalls(deps, { run, brief, attempt: known }, conclusion)
  const recorded = await persist(deps, async () => {
    // If that throws, the report is recorded first, so that the net below every examination keeps it.
    if (early !== null) {
      try {
        return await write(early)
      } catch (error) {
        if (isPassing(error)) throw error
        deps.log.warn('an attempt that was examined at once could not be ended', { ...place, error: String(error) })
      }
    }
    return withNet(deps, place, () => write(null), rescue)
  })
  for (const point of recorded?.points ?? []) deps.chaosPoint(point)
  return recorded?.examined ?? null
}

/** Records the calls of an agent whose end could not be recorded: they were made, whatever becomes of its brief. */
async function recordCalls(deps: EngineDeps, { run, brief, attempt }: Claimed, conclusion: Conclusion): Promise<void> {
  const { calls = [] } = conclusion
  if (calls.length === 0) return
  await deps.db.write(streamsOf(run.id, conclusion), async (tx) => {
    const scope = await openScope(deps, tx, run.id)
    const progress = await findProgress(tx, attempt.id)
    if (scope === null || progress === undefined || (await isInLedger(scope, attempt, calls))) return
    await recordSpends(scope, brief, { ...attempt, ...progress }, calls, { goOn: false })
  })
}

interface Recorded {
  readonly examined: Claimed | null
  readonly points: readonly ChaosPointName[]
}

const nothing: Recorded = { examined: null, points: [] }

const pointsOf = ({ run }: RunScope): ChaosPointName[] =>
  run.endedAt === null ? ['attempt.ended'] : ['attempt.ended', 'run.ended']

/** A process that the agent left behind may have sent another report meanwhile. */
const isSameReport = (one: Report | null, other: Report | null): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

const isInLedger = async ({ tx }: RunScope, { id }: Attempt, [first]: readonly PricedCall[]): Promise<boolean> =>
  (await findSpend(tx, spendId(id, first?.number ?? 0))) !== undefined

async function recordReport(
  scope: RunScope,
  brief: Brief,
  attempt: Attempt,
  patch: Partial<Attempt> & Pick<Attempt, 'status' | 'ending'>,
): Promise<Attempt> {
  const { tx, run, by } = scope
  await record(
    tx,
    {
      kind: 'agent_ended',
      by,
      runId: run.id,
      briefId: brief.id,
      attemptId: attempt.id,
      ...eventTags(scope, brief),
      level: 'verbose',
      message: `${nameOf(scope, brief)} attempt ${attempt.fence}: its agent has ended; its evidence is ${patch.status === 'examining' ? 'checked' : 'to be checked'}`,
      data: { status: patch.status, outcome: patch.ending?.outcome, exit_code: patch.exitCode ?? null },
    },
    // An agent that has ended spends nothing more, and its examination may take long or wait for an answer.
    [updated(attempts, attempt, patch), endedAgent(attempt, tx.at), ...(await giveBack(scope, attempt))],
  )
  return { ...attempt, ...patch }
}

const exitOf = ({ ended }: Conclusion): Partial<Attempt> => ({
  ...(ended.exitCode === null ? {} : { exitCode: ended.exitCode }),
  ...(ended.used === undefined ? {} : { used: ended.used }),
})

function endWithoutReport(
  scope: RunScope,
  brief: Brief,
  attempt: Attempt,
  classified: Classified,
  conclusion: Conclusion,
): Promise<void> {
  const { ended, refused = null } = conclusion
  const { denied = [] } = ended
  const isDenied = classified.outcome === 'blocked' && denied.length > 0 && !hasAsked(classified.report)
  return endAttempt(scope, brief, attempt, {
    classified,
    examination: null,
    ended,
    denied,
    ...(isDenied ? { cause: 'permission' as const } : {}),
    ...(conclusion.unavailable === undefined ? {} : { cause: 'crash' as const }),
    reason: interruptionReason(conclusion),
    refused,
    limited: ended.limited ?? null,
  })
}

const unseenStart = ({ session, boxed }: Attempt) => ({
  pid: null,
  promptSha256: null,
  systemPromptSha256: null,
  session,
  boxed,
})

/** The stream of the run, those of its budgets if calls are to be recorded, and the system's if a provider is to be held. */
const streamsOf = (runId: string, { calls = [], streams = [], ended }: Conclusion): Stream[] => [
  `run:${runId}`,
  ...(calls.length === 0 ? [] : streams),
  ...(ended.limited === undefined ? [] : ['system' as const]),
]
