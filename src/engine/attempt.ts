import type { AgentEnded, AgentHandle, RuntimeEvent } from '../adapters/runtime/port.ts'
import type { Tx } from '../db/port.ts'
import { AgencyError } from '../kernel/errors.ts'
import { sleep } from '../kernel/clock.ts'
import { findAttempt } from '../work/attempts/store.ts'
import type { Brief } from '../work/briefs/contract.ts'
import { findRun } from '../work/runs/store.ts'
import type { Workspace } from '../workspaces/port.ts'
import { type Claimed, recordStart } from './claim.ts'
import { type Classified, classify, type Stop } from './classify.ts'
import { watchDeadlines } from './deadlines.ts'
import { type EngineDeps, playbookOf, runtimeOf } from './deps.ts'
import { type AttemptEnd, endAttempt } from './end.ts'
import { examine } from './evidence.ts'
import { renderBrief } from './prompt.ts'
import type { RunScope } from './scope.ts'

/** An attempt of this process, from claim to recorded end. */
export interface LiveAttempt {
  readonly attemptId: string
  /** Resolves when everything about it has been recorded. */
  readonly ended: Promise<void>
  /** The agent did something; its idle deadline starts anew. */
  touch(): void
  stop(why: Stop): void
}

export function startAttempt(deps: EngineDeps, taken: Claimed): LiveAttempt {
  let claimed = taken
  let stopped: Stop | null = null
  let handle: AgentHandle | null = null
  let touch = (): void => {}
  const stop = (why: Stop): void => {
    stopped ??= why
    void handle?.interrupt()
  }

  async function play(): Promise<void> {
    const { attempt, run } = claimed
    deps.trigger('brief.claimed')
    const runtime = runtimeOf(deps, claimed.brief)
    let ended: AgentEnded
    let played = nothingPlayed()
    let workspace: Workspace | null = null
    try {
      workspace = await deps.workspaces.prepare(claimed.brief)
      deps.trigger('workspace.prepared')
      const prompt = renderBrief(deps.promptOf(run.playbook), claimed.brief, attempt.fence)
      const promptSha256 = await deps.files.writePrompt(attempt.id, prompt)
      handle = await runtime.launch({
        launchId: attempt.id as never,
        prompt,
        workspace,
        options: claimed.brief.runtimeOptions,
        environment: deps.environmentOf(attempt.id, attempt.fence),
        attempt: attempt.fence,
      })
      deps.trigger('agent.launched')
      const { pid } = handle
      if (stopped !== null) void handle.interrupt()
      const started = await persist(deps, () => recordStarted(deps, claimed, { pid, promptSha256 }))
      deps.trigger('attempt.started')
      if (started === null) stop('cancelled')
      else claimed = started
      const deadlines = watchDeadlines(deps.clock, run.configuration, stop)
      touch = deadlines.touch
      try {
        played = await followAgent(deps, claimed, handle, touch)
      } finally {
        deadlines.cancel()
      }
      ended = played.ended
      deps.trigger('agent.exited')
    } catch (error) {
      // The agent never came to life. A fault of ours looks the same from here and is logged with its run.
      await handle?.interrupt()
      deps.log.warn('an attempt could not be started', { run: run.id, attempt: attempt.id, error: String(error) })
      ended = {
        kind: 'ended',
        exitCode: null,
        signal: null,
        detail: `could not be started: ${error instanceof Error ? error.message : String(error)}`,
      }
    }
    await conclude(deps, claimed, workspace, {
      ended,
      stopped,
      report: played.report,
      usage: played.usage,
      startFailed: handle === null,
    })
  }

  return {
    attemptId: claimed.attempt.id,
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

interface Played {
  ended: AgentEnded
  report: unknown
  usage: { inputTokens: number; outputTokens: number }
}

const nothingPlayed = (): Played => ({
  ended: { kind: 'ended', exitCode: null, signal: null },
  report: undefined,
  usage: { inputTokens: 0, outputTokens: 0 },
})

async function followAgent(
  deps: EngineDeps,
  claimed: Claimed,
  handle: AgentHandle,
  touch: () => void,
): Promise<Played> {
  const played = nothingPlayed()
  const output = await deps.files.openOutput(claimed.attempt.id)
  try {
    for await (const event of handle.events) {
      touch()
      note(played, event, output.append)
    }
  } finally {
    await output.close()
  }
  return played
}

function note(played: Played, event: RuntimeEvent, append: (text: string) => void): void {
  switch (event.kind) {
    case 'text':
      return append(`${event.text}\n`)
    case 'tool':
      return append(`[${event.name}] ${event.summary}\n`)
    case 'usage':
      if (!isCount(event.inputTokens) || !isCount(event.outputTokens))
        return append('[usage] not a number of tokens; ignored\n')
      played.usage.inputTokens += event.inputTokens
      played.usage.outputTokens += event.outputTokens
      return
    case 'report':
      played.report = event.report
      return
    case 'ended':
      played.ended = event
  }
}

const isCount = (tokens: number): boolean => Number.isSafeInteger(tokens) && tokens >= 0 && tokens < 1e12

export interface Conclusion {
  ended: AgentEnded
  stopped: Stop | null
  report: unknown
  usage: { inputTokens: number; outputTokens: number }
  startFailed?: boolean
  reason?: string
}

/** Classifies, looks at the evidence, records. Also the way an attempt of an earlier life is brought to its end. */
export async function conclude(
  deps: EngineDeps,
  { run, brief, attempt: { id: attemptId } }: Claimed,
  workspace: Workspace | null,
  conclusion: Conclusion,
): Promise<void> {
  // Where the runtime brought the report along, there is nothing in the store that we do not know.
  const stored =
    conclusion.report === undefined
      ? await persist(deps, () => deps.db.read((tx) => findAttempt(tx, attemptId)))
      : undefined
  if (stored?.status === 'ended') return
  // A report made through the API is already stored; the newest of the two ways counts.
  const report = conclusion.report ?? stored?.report ?? undefined
  const classified = classifyEnd(conclusion, report)
  const examination =
    classified.report === null || classified.outcome === 'blocked' || workspace === null
      ? null
      : await examine(brief, classified.report, workspace, deps.clock, mayRunCommands(deps, brief))
  deps.trigger('evidence.checked')
  const end: AttemptEnd = {
    classified,
    examination,
    usage: conclusion.usage,
    reason: conclusion.reason ?? 'daemon_stopped',
  }
  await persist(deps, () =>
    deps.db.write([`run:${run.id}`, `org:${run.organisationId}`], async (tx) => {
      const scope = await openScope(deps, tx, run.id)
      let attempt = await findAttempt(tx, attemptId)
      let current = brief
      // Ended by somebody else: what this agent did no longer counts.
      if (scope === null || attempt === undefined || attempt.status === 'ended') return
      // It finished before its start was recorded (killed between the two).
      if (attempt.status === 'launching' && conclusion.startFailed !== true && end.classified.outcome !== 'interrupted')
        ({ brief: current, attempt } = await recordStart(scope, brief, attempt, { pid: null, promptSha256: null }))
      await endAttempt(scope, current, attempt, end)
    }),
  )
  deps.trigger('attempt.ended')
}

/** Where we died or stopped under an agent that had already reported, the report stands and is looked at. */
function classifyEnd(conclusion: Conclusion, report: unknown): Classified {
  const { ended, stopped, reason } = conclusion
  const ours = reason !== undefined || stopped === 'daemon_stop'
  if (!ours) return classify({ ended, stopped, report })
  if (report !== undefined)
    return classify({ ended: { kind: 'ended', exitCode: 0, signal: null }, stopped: null, report })
  return { outcome: 'interrupted', detail: reason ?? 'the daemon stopped', report: null }
}

const mayRunCommands = (deps: EngineDeps, brief: Brief): boolean => runtimeOf(deps, brief).capabilities.evidenceUnboxed

/** Null when somebody else has ended it meanwhile. While an attempt is live, its brief changes only through it. */
async function recordStarted(
  deps: EngineDeps,
  { run, brief, attempt: { id } }: Claimed,
  start: { pid: number | null; promptSha256: string },
): Promise<Claimed | null> {
  return deps.db.write([`run:${run.id}`], async (tx) => {
    const attempt = await findAttempt(tx, id)
    if (attempt === undefined || attempt.status !== 'launching') return null
    const scope: RunScope = { tx, by: 'engine', ids: deps.ids, playbook: playbookOf(deps, run.playbook), run }
    return { run, ...(await recordStart(scope, brief, attempt, start)) }
  })
}

export async function openScope(
  deps: Pick<EngineDeps, 'ids' | 'playbooks'>,
  tx: Tx,
  runId: string,
  by = 'engine',
): Promise<RunScope | null> {
  const run = await findRun(tx, runId)
  return run === undefined ? null : { tx, by, ids: deps.ids, playbook: playbookOf(deps, run.playbook), run }
}

/** A full disk or an unreachable server is waited out: the work is done, only its record is missing. */
async function persist<T>(deps: EngineDeps, work: () => Promise<T>): Promise<T> {
  for (let wait = 500; ; wait = Math.min(wait * 2, 30_000)) {
    try {
      return await work()
    } catch (error) {
      const passing = error instanceof AgencyError && (error.code === 'store_full' || error.code === 'store_unusable')
      if (!passing) throw error
      deps.log.error('the store does not take a record; trying again', { error: error.message, waitMs: wait })
      await sleep(deps.clock, wait)
    }
  }
}
