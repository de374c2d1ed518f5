import type { AgentEnded, Limited } from '../../adapters/runtime/port.ts'
import type { Stream } from '../../db/port.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import type { Attempt, Report } from '../../work/attempts/contract.ts'
import { findProgress } from '../../work/attempts/store.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { Workspace } from '../../workspaces/port.ts'
import { faultOfCast } from '../../work/briefs/cast.ts'
import { type Classified, classify, type Stop } from './classify.ts'
import { type CollectedEnd, collectWork } from './collect.ts'
import type { EngineDeps } from '../deps.ts'
import { type AttemptEnd, endAttempt } from '../outcome/end.ts'
import type { Refused } from '../../work/budgets/arithmetic.ts'
import { isPassing, persist } from '../persist.ts'
import { faultOfPlan } from '../../work/briefs/create.ts'
import { openScope } from '../../work/scope.ts'
import { type PricedCall, recordSpends } from '../../work/spends/record.ts'
import { faultOfJudgement } from '../../work/verdicts/moves.ts'
import { checkEvidence } from '../evidence/check.ts'
import { type Claimed, recordStart } from './start.ts'

export interface Conclusion {
  ended: AgentEnded
  stopped: Stop | null
  report: unknown
  /** Model calls that are not in the ledger yet. */
  calls?: readonly PricedCall[]
  /** Of its budgets, as far as they are known. */
  streams?: readonly Stream[]
  /** What interrupted it, where a limit did. */
  refused?: Refused | null
  startFailed?: boolean
  reason?: string
}

/** Classifies, looks at the evidence, records. Also the way an attempt of an earlier life is brought to its end. */
export async function conclude(
  deps: EngineDeps,
  { run, brief, attempt: known }: Claimed,
  workspace: Workspace | null,
  conclusion: Conclusion,
): Promise<void> {
  // Where the runtime brought the report along, there is nothing in the store that we do not know.
  const stored =
    conclusion.report === undefined
      ? await persist(deps, () => deps.db.read((tx) => findProgress(tx, known.id)))
      : undefined
  if (stored?.status === 'ended') return
  // A report made through the API is already stored; the newest of the two ways counts.
  const report = conclusion.report ?? stored?.report ?? undefined
  const { denied: asked = [] } = conclusion.ended
  const seen = await lookAt(deps, run, brief, workspace, classifyEnd(conclusion, report))
  const secrets = seen.denied ?? []
  const isDenied =
    seen.classified.outcome === 'blocked' && asked.length > 0 && seen.classified.report?.question === undefined
  const end: AttemptEnd = {
    ...seen,
    ended: conclusion.ended,
    denied: secrets.length > 0 ? secrets : asked,
    ...(secrets.length > 0 ? { cause: 'secret' as const } : isDenied ? { cause: 'permission' as const } : {}),
    reason: reasonOf(conclusion),
    refused: conclusion.refused ?? null,
    limited: conclusion.ended.limited ?? null,
  }
  deps.chaosPoint('evidence.checked')
  const recordAs = (how: AttemptEnd): Promise<boolean> =>
    persist(deps, () =>
      deps.db.write(streamsOfEnd(run.id, conclusion), async (tx) => {
        const scope = await openScope(deps, tx, run.id)
        const progress = await findProgress(tx, known.id)
        let current = brief
        // Ended by somebody else: what this agent did no longer counts.
        if (scope === null || progress === undefined || progress.status === 'ended') return false
        let attempt: Attempt = { ...known, ...progress }
        // It finished before its start was recorded (killed between the two).
        if (
          attempt.status === 'launching' &&
          conclusion.startFailed !== true &&
          how.classified.outcome !== 'interrupted'
        )
          ({ brief: current, attempt } = await recordStart(scope, brief, attempt, unseenStart(attempt)))
        const { calls = [] } = conclusion
        if (calls.length > 0)
          ({ brief: current, attempt } = await recordSpends(scope, current, attempt, calls, { goOn: false }))
        await endAttempt(scope, current, attempt, how)
        return scope.run.endedAt !== null
      }),
    )
  const runEnded = await recordAs(end).catch((error: unknown) => {
    if (isPassing(error)) throw error
    // A fault of ours, brought about by what it handed over: nobody may be left waiting for it.
    deps.log.error('the outcome of an attempt could not be recorded; it counts as crashed', {
      run: run.id,
      attempt: known.id,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
    return recordAs({ ...end, classified: unrecorded(error), examination: null, commit: null })
  })
  deps.chaosPoint('attempt.ended')
  if (runEnded) deps.chaosPoint('run.ended')
}

const unrecorded = (error: unknown): Classified => ({
  outcome: 'crash',
  detail: shorten(
    `its outcome could not be recorded: ${redact(error instanceof Error ? error.message : String(error))}`,
    500,
  ),
  report: null,
})

/** Where the workspace itself cannot be looked at, nothing is proven and nothing disproven: it has to be done again. */
async function lookAt(
  deps: EngineDeps,
  run: Run,
  brief: Brief,
  workspace: Workspace | null,
  classified: Classified,
): Promise<Pick<AttemptEnd, 'classified' | 'examination'> & Partial<CollectedEnd>> {
  const { report } = classified
  if (report === null || classified.outcome === 'blocked') return { classified, examination: null }
  try {
    if (workspace === null) throw new Error('the workspace is gone')
    const fault = await faultOfReport(deps, brief, report)
    if (fault !== null)
      return { classified: { ...classified, outcome: 'bad_output', detail: fault }, examination: null }
    const collected = await collectWork(deps, run, brief, workspace, { ...classified, report })
    if (collected.classified.outcome !== classified.outcome) return { ...collected, examination: null }
    const mayRunCommands = workspace.boxed || (deps.runtimes.get(brief.runtime)?.capabilities.evidenceUnboxed ?? false)
    const ours = deps.ourPorts?.() ?? []
    const outputs = report.outputs.length > 0 ? report.outputs : (collected.files ?? []).slice(0, 500)
    const said = { ...report, outputs: [...outputs] }
    return { ...collected, examination: await checkEvidence(brief, said, workspace, deps.clock, mayRunCommands, ours) }
  } catch (error) {
    deps.log.error('the evidence could not be checked', { run: brief.runId, brief: brief.id, error: String(error) })
    const detail = `the evidence could not be checked: ${error instanceof Error ? error.message : String(error)}`
    return { classified: { outcome: 'crash', detail, report: classified.report }, examination: null }
  }
}

const unseenStart = ({ session, boxed }: Attempt) => ({ pid: null, promptSha256: null, session, boxed })

/** What a report lacks that its kind of brief asks for, or null. */
async function faultOfReport(deps: EngineDeps, brief: Brief, report: Report): Promise<string | null> {
  if (brief.kind === 'verify') return faultOfJudgement(report, brief.evidence)
  if (brief.kind !== 'plan' || brief.phase !== null) return null
  const { plan, status } = report
  if (status !== 'done') return `a plan is given whole, and the report says "${status}"`
  return faultOfPlan(plan) ?? deps.db.read((tx) => faultOfCast(tx, plan ?? []))
}

/** The run's, those of its budgets, and the system's where a provider is held. */
const streamsOfEnd = (runId: string, { streams = [], ended }: Conclusion): Stream[] => [
  `run:${runId}`,
  ...streams,
  ...(ended.limited === undefined ? [] : ['system' as const]),
]

/** For an interruption: what became of us, or of the agent. */
function reasonOf({ reason, stopped, ended }: Conclusion): string {
  if (reason !== undefined) return reason
  if (stopped === 'stopped') return 'stopped'
  return stopped === null && ended.limited !== undefined ? 'provider_limited' : 'daemon_stopped'
}

/**
 * Where we died or stopped under an agent that had already reported, the report stands and is looked at; also where it
 * was a limit or its provider that stopped it: the work is done, and nothing more is spent on it.
 */
function classifyEnd(conclusion: Conclusion, report: unknown): Classified {
  const { ended, stopped, reason, refused } = conclusion
  const isLimited = stopped === null && ended.limited !== undefined
  const ours = reason !== undefined || isLimited || (stopped !== null && stopsWithoutFault.has(stopped))
  if (!ours) return withDenied(classify({ ended, stopped, report }), ended)
  if (report !== undefined)
    return classify({ ended: { kind: 'ended', exitCode: 0, signal: null }, stopped: null, report })
  if (reason !== undefined) return { outcome: 'interrupted', detail: reason, report: null }
  if (stopped === 'budget') return { outcome: 'budget', detail: refused?.reason ?? 'a budget is used up', report: null }
  if (isLimited) return { outcome: 'interrupted', detail: limitedDetail(ended.limited as Limited), report: null }
  return { outcome: 'interrupted', detail: stopped === 'stopped' ? 'stopped' : 'the daemon stopped', report: null }
}

/** Who came to nothing because it was not allowed to do something waits for a word; who did it otherwise has done it. */
function withDenied(classified: Classified, { denied = [] }: AgentEnded): Classified {
  if (denied.length === 0 || (classified.outcome !== 'bad_output' && classified.outcome !== 'blocked'))
    return classified
  // Who asks something of its own is heard.
  if (classified.report?.question !== undefined) return classified
  const detail = shorten(
    `these operations need permission: ${denied.map(({ what }) => redact(what)).join('; ')}`,
    1_000,
  )
  return { ...classified, outcome: 'blocked', detail }
}

const stopsWithoutFault: ReadonlySet<Stop> = new Set(['daemon_stop', 'stopped', 'budget'])

const limitedDetail = ({ reason }: Limited): string =>
  shorten(`its provider takes no more calls: ${redact(reason)}`.replace(/\s+/g, ' '), 300)
