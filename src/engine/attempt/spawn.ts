import type { AgentEnded, AgentHandle, RuntimeEvent } from '../../adapters/runtime/port.ts'
import type { Attempt } from '../../work/attempts/contract.ts'
import { findProgress } from '../../work/attempts/store.ts'
import type { AttemptOutput } from '../../work/attempts/files.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { findBrief } from '../../work/briefs/store.ts'
import type { Run } from '../../work/runs/contract.ts'
import { asksSeat } from '../../work/questions/resolution.contract.ts'
import { listNotesOfBrief } from '../../work/notes/store.ts'
import { isLook, missingIn } from '../../work/briefs/branches.ts'
import { launchOptions } from './launch-options.ts'
import { workspaceRequest } from './workspace.ts'
import type { Stop } from './classify.ts'
import { watchDeadlines } from './deadlines.ts'
import { type EngineDeps, runtimeOf } from '../deps.ts'
import { handOver } from './handover.ts'
import { resolveInputs } from './inputs.ts'
import type { Refused } from '../../work/budgets/arithmetic.ts'
import { outputOf } from './output-schema.ts'
import type { RateLimit } from '../../kernel/rate.ts'
import { redactDeeply, rememberSecrets } from '../../secrets/redact.ts'
import { isPassing, persist } from '../persist.ts'
import { renderBrief } from './prompt.ts'
import { turnOf } from '../../work/briefs/split.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { playbookOf, scopeOf } from '../../work/scope.ts'
import { createRowLimit, createSpending, type Spending } from './spending.ts'
import type { PricedCall } from '../../work/spends/record.ts'
import type { AttemptDriver, LiveAttempt } from './driver.ts'
import { type Conclusion, type EarlyEnd, recordEnd } from './record-end.ts'
import { type BroughtReport, readReport } from './report.ts'
import { type Claimed, recordStart, type Start } from './start.ts'

/** The slots for examinations of this process: `take` resolves to false if all are in use. */
export interface ExaminationSlots {
  take(): boolean
  /** False while the process is cut off from the store: another one may take its examinations over. */
  mayUse(): boolean
  giveBack(): void
}

/** Examines an attempt before the end of its agent is recorded, if that takes no time to speak of. */
export type ExamineAtOnce = (deps: EngineDeps, claimed: Claimed, conclusion: Conclusion) => Promise<EarlyEnd | null>

/** Starts one process for each attempt. */
export const createSpawnDriver = (
  deps: EngineDeps,
  slots: ExaminationSlots,
  examineAtOnce: ExamineAtOnce,
): AttemptDriver => {
  const rows = createRowLimit(deps.clock)
  return { start: (claimed) => startAttempt(deps, claimed, rows, slots, examineAtOnce) }
}

function startAttempt(
  deps: EngineDeps,
  taken: Claimed,
  rows: RateLimit,
  slots: ExaminationSlots,
  examineAtOnce: ExamineAtOnce,
): LiveAttempt {
  let claimed = taken
  let stopped: Stop | null = null
  let refused: Refused | null = null
  let isGone = false
  let handle: AgentHandle | null = null
  let touch = (): void => {}
  let hasStoreTrouble = false
  const interrupt = async (): Promise<void> => {
    await handle?.interrupt().catch((error: unknown) => {
      deps.log.error('an agent could not be interrupted', { attempt: taken.attempt.id, error: String(error) })
    })
  }
  const stop = (why: Stop): void => {
    stopped ??= why
    void interrupt()
  }
  const spending = createSpending(deps, taken, rows, (why) => {
    // An agent that has ended by itself meanwhile spends nothing more.
    if (isGone) return
    refused ??= why
    stop('budget')
  })

  async function play(): Promise<Claimed | null> {
    const { attempt, run } = claimed
    const environment = deps.environmentOf(attempt.id, attempt.fence)
    // Its token has a format of its own; encoded, only the value can be recognised.
    const forgetToken = rememberSecrets([environment['AGENCY_TOKEN'] ?? ''])
    deps.chaosPoint('brief.claimed')
    let ended: AgentEnded
    let played = nothingPlayed()
    let calls: PricedCall[] = []
    let reason: string | null = null
    let unavailable: string | null = null
    try {
      const runtime = runtimeOf(deps, claimed.brief)
      const place = workspaceRequest(deps, run, claimed.brief)
      if (isFreshLook(claimed)) await deps.workspaces.remove(place)
      const workspace = await deps.workspaces.prepare(place)
      deps.chaosPoint('workspace.prepared')
      const handed = await handOver(deps, claimed, place)
      if ('refused' in handed) throw new Error((unavailable = handed.refused))
      const { inputsSeen } = handed
      deps.chaosPoint('inputs.laid')
      const inputs = await resolveInputs(deps, run, claimed.brief)
      const prompt = await promptFor(deps, claimed, { inputs, inputsSeen })
      const launch = await launchOptions(deps, claimed, inputs)
      const prompts = await deps.files.writePrompts(attempt.id, { prompt, systemPrompt: launch.systemPrompt ?? null })
      // Making a clone takes time, in which the run may have been cancelled.
      if (stopped !== null) throw new Error('it was stopped before its agent started')
      handle = await runtime.launch({
        launchId: attempt.id as never,
        prompt,
        workspace,
        options: claimed.brief.runtimeOptions,
        environment,
        attempt: turnOf(claimed.brief, attempt.fence),
        kind: claimed.brief.kind,
        ...launch,
      })
      deps.chaosPoint('agent.launched')
      const start = {
        pid: handle.pid,
        session: handle.session ?? null,
        boxed: handle.boxed ?? false,
        ...seenOf(handed),
      }
      if (stopped !== null) void interrupt()
      const started = await persist(deps, () => recordStarted(deps, claimed, { ...start, ...prompts }))
      deps.chaosPoint('attempt.started')
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
      // It has given up, or could not report: its report counts if there is one, and nothing is its fault.
      if (hasStoreTrouble && stopped === null) reason = 'store_trouble'
      deps.chaosPoint('agent.exited')
      calls = await spending.rest().catch((error: unknown) => {
        // The work of the agent counts all the same.
        deps.log.error('calls of an agent could not be recorded', { attempt: attempt.id, error: String(error) })
        return []
      })
    } catch (error) {
      // A fault of Agency cannot be distinguished from an agent that cannot be started, so it is logged with its run.
      const failure = handle === null ? 'could not be started' : 'could not be followed'
      await interrupt()
      // Trouble of the store is not the agent's fault.
      if (isPassing(error)) reason = 'store_trouble'
      deps.log.warn(`an attempt ${failure}`, { run: run.id, attempt: attempt.id, error: String(error) })
      if (handle === null) unavailable ??= missingGuarantee(error)
      ended = {
        kind: 'ended',
        exitCode: null,
        signal: null,
        detail: `${failure}: ${error instanceof Error ? error.message : String(error)}`,
      }
    } finally {
      forgetToken()
    }
    const hasSlot = slots.take()
    const mayExamine = (): boolean => hasSlot && slots.mayUse()
    const conclusion: Conclusion = {
      ended,
      stopped,
      reports: played.reports,
      calls,
      streams: spending.streams(),
      refused,
      startFailed: handle === null,
      ...(unavailable === null ? {} : { unavailable }),
      ...(reason === null ? {} : { reason }),
    }
    const early = mayExamine() ? await examineAtOnce(deps, claimed, conclusion) : null
    if (early !== null) deps.chaosPoint('evidence.checked')
    const examined = await recordEnd(deps, claimed, conclusion, { mayExamine, early }).catch((error: unknown) => {
      if (hasSlot) slots.giveBack()
      throw error
    })
    if (hasSlot && examined === null) slots.giveBack()
    return examined
  }

  return {
    attemptId: claimed.attempt.id,
    organisationId: claimed.run.organisationId,
    ended: play().catch((error: unknown) => {
      deps.log.error('the end of an agent could not be recorded; the next sweep or start takes it up', {
        run: claimed.run.id,
        attempt: claimed.attempt.id,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
      return null
    }),
    touch: () => touch(),
    noteStoreTrouble: (hasTrouble) => void (hasStoreTrouble = hasTrouble),
    stop,
  }
}

/**
 * Reports whether a step or a verifier looks at the work again: it must see the present state and an empty HOME, not what
 * its last attempt left.
 */
const isFreshLook = ({ run, brief, attempt }: Claimed): boolean =>
  ((run.repository !== null && isLook(brief)) || brief.verifies !== null) &&
  attempt.fence > 1 &&
  attempt.session === null

/** Renders the prompt, with the notes of earlier attempts and their results. */
async function promptFor(
  deps: EngineDeps,
  { run, brief, attempt }: Claimed,
  { inputs, inputsSeen }: Pick<Brief, 'inputs'> & Pick<Attempt, 'inputsSeen'>,
): Promise<string> {
  const noted = run.notesTotal === 0 ? [] : await deps.db.read((tx) => listNotesOfBrief(tx, brief.id))
  const judged =
    run.repository === null || brief.verifies === null
      ? null
      : ((await deps.db.read((tx) => findBrief(tx, brief.verifies as string))) ?? null)
  const playbook = playbookOf(deps, run)
  return renderBrief(
    deps.promptOf(promptFolderOf(run, brief), brief.kind, brief.phase),
    { ...brief, inputs },
    attempt.fence,
    {
      notes: noted,
      judged,
      missing: await missingIn(deps, playbook, run, brief),
      files: playbook.describe?.(brief).files ?? [],
      goal: run.goalAnchor,
      handed: inputsSeen,
      output: outputOf(playbook, brief)?.shown ?? null,
    },
  )
}

/** No playbook has a prompt of its own for the seats of an organisation. */
const promptFolderOf = ({ playbook }: Run, brief: Brief): string => (asksSeat(brief) ? 'ladder' : playbook)

interface Played {
  ended: AgentEnded
  /** In the order in which its runtime delivered them. */
  reports: BroughtReport[]
}

const nothingPlayed = (): Played => ({ ended: { kind: 'ended', exitCode: null, signal: null }, reports: [] })

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

function note(played: Played, event: RuntimeEvent, spending: Spending, append: AttemptOutput['append']): void {
  switch (event.kind) {
    case 'text':
      return append(`${event.text}\n`, event.from)
    case 'tool':
      return append(`[${event.name}] ${event.summary}\n`)
    case 'usage':
      return spending.add(redactDeeply(event), append)
    case 'report':
      played.reports.push({ report: readReport(event.report), from: event.from ?? 'result' })
      return
    case 'ended':
      played.ended = redactDeeply(event)
  }
}

const seenOf = ({ inputsSeen }: Pick<Attempt, 'inputsSeen'>) => (inputsSeen.length === 0 ? {} : { inputsSeen })

/** Resolves to null if the attempt was ended meanwhile. The brief of a live attempt changes only through it. */
async function recordStarted(
  deps: EngineDeps,
  { run, brief, attempt: known }: Claimed,
  start: Start,
): Promise<Claimed | null> {
  return deps.db.write([`run:${run.id}`], async (tx) => {
    const progress = await findProgress(tx, known.id)
    if (progress === undefined || progress.status === 'ended') return null
    const attempt: Attempt = { ...known, ...progress }
    // The start is recorded already, by a commit with a lost response.
    if (attempt.status === 'running') return { run, brief: { ...brief, status: 'working' }, attempt }
    const scope = scopeOf(deps, tx, run, 'engine')
    tx.makesNothingReady()
    return { run, ...(await recordStart(scope, brief, attempt, start)) }
  })
}

/** Returns the refusal of a start that needs a box, where the machine has none: another attempt would be refused too. */
const missingGuarantee = (error: unknown): string | null =>
  error instanceof AgencyError && (error.code === 'network_isolation_unavailable' || error.code === 'box_unavailable')
    ? `${error.code}: ${error.message}`
    : null
