import type { AgentEnded, AgentHandle, Launch, Limited, RuntimeEvent } from '../adapters/runtime/port.ts'
import type { Stream, Tx } from '../db/port.ts'
import { redact, shorten } from '../kernel/text.ts'
import { fromWire } from '../operations/wire.ts'
import { type Attempt, Report } from '../work/attempts/contract.ts'
import { findProgress } from '../work/attempts/store.ts'
import type { Brief } from '../work/briefs/contract.ts'
import { findBrief } from '../work/briefs/store.ts'
import { startsProcesses } from '../work/evidence/contract.ts'
import { listNotesOfBrief } from '../work/notes/store.ts'
import type { Run } from '../work/runs/contract.ts'
import { findRun } from '../work/runs/store.ts'
import type { Place, Workspace } from '../workspaces/port.ts'
import { branchOf, isLook, missingIn } from './branches.ts'
import { faultOfCast } from './cast.ts'
import { type Claimed, recordStart, type Start } from './claim.ts'
import { type Classified, classify, type Stop } from './classify.ts'
import { type CollectedEnd, collectWork } from './collect.ts'
import { watchDeadlines } from './deadlines.ts'
import { type EngineDeps, runtimeOf } from './deps.ts'
import { type AttemptEnd, endAttempt } from './end.ts'
import { examine } from './evidence.ts'
import { givenTo } from './given.ts'
import type { Refused } from './money.ts'
import { outputOf } from './output-schema.ts'
import { isPassing, persist } from './persist.ts'
import { faultOfPlan } from './plan.ts'
import { renderBrief } from './prompt.ts'
import { turnOf } from './remainder.ts'
import { type RunScope, type ScopeParts, scopeOf } from './scope.ts'
import { createSpending, type Spending } from './spending.ts'
import { type PricedCall, recordSpends } from './spends.ts'
import { faultOfJudgement } from './verify.ts'

/** An attempt of this process, from claim to recorded end. */
export interface LiveAttempt {
  readonly attemptId: string
  readonly organisationId: number
  /** Resolves when everything about it has been recorded. */
  readonly ended: Promise<void>
  /** The agent did something; its idle deadline starts anew. */
  touch(): void
  stop(why: Stop): void
}

export function startAttempt(deps: EngineDeps, taken: Claimed): LiveAttempt {
  let claimed = taken
  let stopped: Stop | null = null
  let refused: Refused | null = null
  let isGone = false
  let handle: AgentHandle | null = null
  let touch = (): void => {}
  const interrupt = async (): Promise<void> => {
    await handle?.interrupt().catch((error: unknown) => {
      deps.log.error('an agent could not be interrupted', { attempt: taken.attempt.id, error: String(error) })
    })
  }
  const stop = (why: Stop): void => {
    stopped ??= why
    void interrupt()
  }
  const spending = createSpending(deps, taken, (why) => {
    // Whoever has ended by itself meanwhile spends nothing more.
    if (isGone) return
    refused ??= why
    stop('budget')
  })

  async function play(): Promise<void> {
    const { attempt, run } = claimed
    deps.trigger('brief.claimed')
    let ended: AgentEnded
    let played = nothingPlayed()
    let calls: PricedCall[] = []
    let workspace: Workspace | null = null
    try {
      const runtime = runtimeOf(deps, claimed.brief)
      const place = placeOf(deps, run, claimed.brief)
      if (isFreshLook(claimed)) await deps.workspaces.remove(place)
      workspace = await deps.workspaces.prepare(place)
      deps.trigger('workspace.prepared')
      const inputs = await givenTo(deps, run, claimed.brief)
      const prompt = await promptFor(deps, claimed, inputs)
      const promptSha256 = await deps.files.writePrompt(attempt.id, prompt)
      handle = await runtime.launch({
        launchId: attempt.id as never,
        prompt,
        workspace,
        options: claimed.brief.runtimeOptions,
        environment: deps.environmentOf(attempt.id, attempt.fence),
        attempt: turnOf(claimed.brief, attempt.fence),
        kind: claimed.brief.kind,
        ...(await characterOf(deps, claimed, inputs)),
      })
      deps.trigger('agent.launched')
      const start = { pid: handle.pid, session: handle.session ?? null, boxed: handle.boxed ?? false }
      if (stopped !== null) void interrupt()
      const started = await persist(deps, () => recordStarted(deps, claimed, { ...start, promptSha256 }))
      deps.trigger('attempt.started')
      if (started === null) stop('cancelled')
      else claimed = started
      const deadlines = watchDeadlines(deps.clock, run.configuration, stop)
      touch = deadlines.touch
      try {
        played = await followAgent(deps, claimed, handle, spending, touch)
      } finally {
        isGone = true
        deadlines.cancel()
      }
      ended = played.ended
      deps.trigger('agent.exited')
      calls = await spending.rest(claimed.brief.evidence.some(({ kind }) => startsProcesses(kind)))
    } catch (error) {
      // A fault of ours looks the same from here as an agent that cannot be started; it is logged with its run.
      const failure = handle === null ? 'could not be started' : 'could not be followed'
      await interrupt()
      deps.log.warn(`an attempt ${failure}`, { run: run.id, attempt: attempt.id, error: String(error) })
      ended = {
        kind: 'ended',
        exitCode: null,
        signal: null,
        detail: `${failure}: ${error instanceof Error ? error.message : String(error)}`,
      }
    }
    await conclude(deps, claimed, workspace, {
      ended,
      stopped,
      report: played.report,
      calls,
      streams: spending.streams(),
      refused,
      startFailed: handle === null,
    })
  }

  return {
    attemptId: claimed.attempt.id,
    organisationId: claimed.run.organisationId,
    ended: play().catch((error: unknown) => {
      deps.log.error('an attempt could not be recorded; it is taken up again at the next start', {
        run: claimed.run.id,
        attempt: claimed.attempt.id,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
    }),
    touch: () => touch(),
    stop,
  }
}

/** Who looks once more sees what is there now, not what was there the last time. */
const isFreshLook = ({ run, brief, attempt }: Claimed): boolean =>
  run.repository !== null && isLook(brief) && attempt.fence > 1 && attempt.session === null

/** What was noted in earlier attempts, and what became of it, goes along. */
async function promptFor(deps: EngineDeps, { run, brief, attempt }: Claimed, inputs: Brief['inputs']): Promise<string> {
  const noted = run.notesTotal === 0 ? [] : await deps.db.read((tx) => listNotesOfBrief(tx, brief.id))
  const judged =
    run.repository === null || brief.verifies === null
      ? null
      : ((await deps.db.read((tx) => findBrief(tx, brief.verifies as string))) ?? null)
  return renderBrief(deps.promptOf(run.playbook, brief.kind, brief.phase), { ...brief, inputs }, attempt.fence, {
    notes: noted,
    judged,
    missing: await missingIn(deps, run, brief),
    goal: run.goalAnchor,
    output: outputOf(deps.playbooks.get(run.playbook), brief)?.shown ?? null,
  })
}

interface Played {
  ended: AgentEnded
  report: unknown
}

const nothingPlayed = (): Played => ({ ended: { kind: 'ended', exitCode: null, signal: null }, report: undefined })

async function followAgent(
  deps: EngineDeps,
  claimed: Claimed,
  handle: AgentHandle,
  spending: Spending,
  touch: () => void,
): Promise<Played> {
  const played = nothingPlayed()
  const output = await deps.files.openOutput(claimed.attempt.id)
  try {
    for await (const event of handle.events) {
      touch()
      note(played, event, spending, output.append)
    }
  } finally {
    await output.close()
  }
  return played
}

function note(played: Played, event: RuntimeEvent, spending: Spending, append: (text: string) => void): void {
  switch (event.kind) {
    case 'text':
      return append(`${event.text}\n`)
    case 'tool':
      return append(`[${event.name}] ${event.summary}\n`)
    case 'usage':
      return spending.add(event, append)
    case 'report':
      // As the API does it for reports that come through it.
      played.report = fromWire(Report, event.report)
      return
    case 'ended':
      played.ended = event
  }
}

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
  deps.trigger('evidence.checked')
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
    // A fault of ours, brought about by what it handed over: nobody may be left waiting for it.
    deps.log.error('what an attempt came to could not be recorded; it counts as crashed', {
      run: run.id,
      attempt: known.id,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
    if (isPassing(error)) throw error
    return recordAs({ ...end, classified: unrecorded(error), examination: null, commit: null })
  })
  deps.trigger('attempt.ended')
  if (runEnded) deps.trigger('run.ended')
}

const unrecorded = (error: unknown): Classified => ({
  outcome: 'crash',
  detail: shorten(
    `what it came to could not be recorded: ${redact(error instanceof Error ? error.message : String(error))}`,
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
    return { ...collected, examination: await examine(brief, said, workspace, deps.clock, mayRunCommands, ours) }
  } catch (error) {
    deps.log.error('evidence could not be looked at', { run: brief.runId, brief: brief.id, error: String(error) })
    const detail = `evidence could not be looked at: ${error instanceof Error ? error.message : String(error)}`
    return { classified: { outcome: 'crash', detail, report: classified.report }, examination: null }
  }
}

/** Who judges looks at the place of whoever worked; who finishes the rest goes on where the work is. */
export function placeOf(deps: EngineDeps, run: Run, brief: Brief): Place {
  const id = brief.remainderOf ?? brief.verifies ?? brief.id
  const { repository, configuration } = run
  return {
    id,
    runId: brief.runId,
    attemptId: brief.attemptId,
    box: deps.runtimes.get(brief.runtime)?.capabilities.boxed ?? false,
    directory: configuration.workspace ?? null,
    clone:
      repository === null || brief.startCommit === null
        ? (configuration.clone ?? null)
        : { mirror: repository.mirror, branch: branchOf(run, brief), start: brief.startCommit },
    ...(deps.policyOf === undefined ? {} : { policy: deps.policyOf(run, brief) }),
  }
}

/** Who the agent is, in which step, how much it may do unasked, and where an interrupted one goes on. */
async function characterOf(
  deps: EngineDeps,
  { run, brief, attempt }: Claimed,
  inputs: Brief['inputs'],
): Promise<Pick<Launch, 'systemPrompt' | 'output' | 'step' | 'mode' | 'session' | 'allowed'>> {
  const persona = (await deps.personaText?.(brief.personaId, run)) ?? ''
  const goal = brief.tier === null ? '' : `The goal that everything serves: ${redact(run.goalAnchor)}`
  const text = [persona, goal].filter((each) => each !== '').join('\n\n')
  const output = outputOf(deps.playbooks.get(run.playbook), brief)
  return {
    ...(text === '' ? {} : { systemPrompt: text }),
    ...(output === null ? {} : { output: { name: output.name, schema: output.schema } }),
    ...(brief.phase === null
      ? {}
      : { step: { phase: brief.phase, workstream: brief.workstream, key: brief.key, inputs, files: brief.files } }),
    // Who plans looks and changes nothing, whatever the run allows.
    mode: brief.kind === 'plan' ? 'plan_only' : (run.configuration.mode ?? 'yolo'),
    session: attempt.session,
    allowed: brief.allowed,
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
  const detail = shorten(`it may not do this unasked: ${denied.map(({ what }) => redact(what)).join('; ')}`, 1_000)
  return { ...classified, outcome: 'blocked', detail }
}

const stopsWithoutFault: ReadonlySet<Stop> = new Set(['daemon_stop', 'stopped', 'budget'])

const limitedDetail = ({ reason }: Limited): string =>
  shorten(`its provider takes no more calls: ${redact(reason)}`.replace(/\s+/g, ' '), 300)

/** Null when somebody else has ended it meanwhile. While an attempt is live, its brief changes only through it. */
async function recordStarted(
  deps: EngineDeps,
  { run, brief, attempt: known }: Claimed,
  start: Start,
): Promise<Claimed | null> {
  return deps.db.write([`run:${run.id}`], async (tx) => {
    const progress = await findProgress(tx, known.id)
    if (progress === undefined || progress.status === 'ended') return null
    const attempt: Attempt = { ...known, ...progress }
    // Recorded already, by a commit whose answer got lost.
    if (attempt.status === 'running') return { run, brief: { ...brief, status: 'working' }, attempt }
    const scope = scopeOf(deps, tx, run, 'engine')
    return { run, ...(await recordStart(scope, brief, attempt, start)) }
  })
}

export async function openScope(deps: ScopeParts, tx: Tx, runId: string, by = 'engine'): Promise<RunScope | null> {
  const run = await findRun(tx, runId)
  return run === undefined ? null : scopeOf(deps, tx, run, by)
}
