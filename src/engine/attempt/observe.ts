import type { AgentEnded, AgentHandle, Launch, Runtime, RuntimeEvent } from '../../adapters/runtime/port.ts'
import type { Db } from '../../db/port.ts'
import { appendEvent, type NewEvent } from '../../events/append.ts'
import { listStreamEvents } from '../../events/store.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { shorten, withoutColours } from '../../kernel/text.ts'
import { createRedactor } from '../../secrets/redact.ts'
import { findPersona } from '../../org/personas/store.ts'
import { runCommand } from '../../workspaces/command.ts'
import type { ProcessSpec, Workspace, Workspaces } from '../../workspaces/port.ts'
import type { Attempt } from '../../work/attempts/contract.ts'
import { findAttempt } from '../../work/attempts/store.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { findBrief } from '../../work/briefs/store.ts'
import type { Mission } from '../../work/missions/contract.ts'
import { findMission } from '../../work/missions/store.ts'
import type { Run } from '../../work/runs/contract.ts'
import { findRun } from '../../work/runs/store.ts'
import { type Changes, changesSince, restore, treeOf } from '../../work/mission-workspaces/git.ts'
import type { WorkspaceTree } from '../../work/mission-workspaces/tree.ts'
import { createTail, type PrintedFiles } from '../../work/mission-workspaces/executions/output.ts'
import type { Turns } from '../../work/mission-workspaces/executions/turns.ts'
import { untilAgentEnded } from '../../work/mission-workspaces/executions/wait.ts'
import { takeBaseline } from './baseline.ts'
import { exitCodeOf } from '../../work/mission-workspaces/executions/exit-code.ts'

export interface OnlookerParts {
  db: Db
  clock: Clock
  ids: Ids
  log: Log
  tree: WorkspaceTree
  workspaces: Workspaces
  printed: PrintedFiles
  turns: Turns
  /** Runs whose last log lines are still to be written; code that reports the end of a run waits for them. */
  logging: Map<string, Promise<void>>
  /** The process that starts the agents: `daemon`, or a worker's id. */
  host: string
}

/**
 * Returns a runtime that records its launches in missions' workspaces: facts for the agent, a log of executions, and
 * the changed files according to git. The changes are read as soon as the agent has ended, before a check can leave
 * files behind.
 */
export const observeRuntime = (runtime: Runtime, parts: OnlookerParts): Runtime => ({
  ...runtime,
  launch: async (launch) => {
    const scene = await sceneOf(parts, launch).catch((error: unknown) => complain(parts, launch, error))
    if (scene === null) return runtime.launch(launch)
    // A cancelled attempt counts as ended before its process is gone, so the next one waits for its turn.
    const leave = scene.workspace === null ? () => {} : await parts.turns.take(scene.workspace)
    try {
      await prepare(parts, scene).catch((error: unknown) => complain(parts, launch, error))
      // Unlike a log, this decides later about the work: an agent does not start without it.
      if (scene.workspace !== null) await takeBaseline(parts, scene, launch.workspace)
      const handle = await runtime.launch(launch)
      await begin(parts, scene, handle).catch((error: unknown) => complain(parts, launch, error))
      return Object.assign(Object.create(handle) as AgentHandle, {
        events: follow(parts, scene, launch, handle.events, leave),
        // The turn also ends if the events are no longer read.
        interrupt: () => handle.interrupt().finally(leave),
      })
    } catch (error) {
      leave()
      throw error
    }
  },
})

/** Logs a failed observation, which must not keep the agent from working. */
function complain({ log }: OnlookerParts, { launchId }: Launch, error: unknown): null {
  log.warn('the activity of an agent in a workspace could not be recorded', { attempt: launchId, error: String(error) })
  return null
}

interface Scene {
  attempt: Attempt
  brief: Brief
  run: Run
  mission: Mission
  persona: string
  workspace: string | null
  startedMs: number
  mode: Run['configuration']['mode']
  /** The git tree before the first attempt; null if git cannot read it or the run is not an execution. */
  before: string | null
}

async function sceneOf(parts: OnlookerParts, launch: Launch): Promise<Scene | null> {
  const found = await parts.db.read(async (tx) => {
    const attempt = await findAttempt(tx, launch.launchId)
    const run = attempt && (await findRun(tx, attempt.runId))
    const workspace = run?.configuration.workspace ?? null
    // Thousands of simulations would only fill the list of sessions.
    if (attempt === undefined || run === undefined || (workspace === null && attempt.simulated)) return null
    const brief = await findBrief(tx, attempt.briefId)
    const mission = await findMission(tx, run.missionId)
    if (brief === undefined || mission === undefined) return null
    const started = await listStreamEvents(tx, `run:${run.id}`, { kind: ['exec_started'], limit: 1 })
    const persona = (await findPersona(tx, brief.personaId))?.slug ?? String(brief.personaId)
    return { attempt, run, brief, mission, persona, workspace, earlier: started[0]?.data['before'] }
  })
  if (found === null) return null
  const { earlier, ...scene } = found
  const before = typeof earlier === 'string' ? earlier : null
  const mode = launch.mode ?? scene.run.configuration.mode
  return { ...scene, before, mode, startedMs: parts.clock.nowMs() }
}

async function prepare(parts: OnlookerParts, scene: Scene): Promise<void> {
  scene.startedMs = parts.clock.nowMs()
  const { workspace, brief } = scene
  // A verifier works on a copy.
  if (workspace !== null)
    await writeFacts(parts, brief.verifies === null ? workspace : `${brief.runId}/${brief.id}`, scene)
  if (scene.before === null && scene.run.configuration.purpose !== undefined)
    scene.before = await treeOf(await boxed(parts, scene, 'prepare'))
}

/**
 * Opens the workspace for git in the same box as agents: another agent may have put files into the directory. Once the
 * agent has worked, nothing is prepared: its report stays in the outbox until its end is recorded.
 */
async function boxed(
  { workspaces, clock }: OnlookerParts,
  { run, attempt, workspace: directory }: Pick<Scene, 'run' | 'attempt' | 'workspace'>,
  how: 'prepare' | 'open',
): Promise<Workspace> {
  const workspace = await workspaces[how]({
    id: attempt.briefId,
    runId: run.id,
    attemptId: attempt.id,
    directory,
    clone: run.configuration.clone ?? null,
    box: true,
  })
  const offline = { ...workspace, enter: (entry: ProcessSpec) => workspace.enter({ ...entry, offline: true }) }
  return {
    ...offline,
    run: (command, limits) => runCommand({ command, workspace: offline, launchId: attempt.id, clock, ...limits }),
  }
}

async function writeFacts(
  { tree, clock }: OnlookerParts,
  path: string,
  { mission, brief, attempt, persona, run }: Pick<Scene, 'mission' | 'brief' | 'attempt' | 'persona' | 'run'>,
): Promise<void> {
  await tree.writeFact(path, 'mission.json', {
    mission_id: mission.id,
    title: mission.title,
    description: mission.description,
    acceptance: mission.acceptance,
    workspace: path,
    run_id: run.id,
    brief: { id: brief.id, key: brief.key, title: brief.title, objective: brief.objective, context: brief.context },
    written_at: clock.at(),
  })
  await tree.writeFact(path, 'agent.json', {
    agent_id: attempt.agentId,
    persona,
    runtime: attempt.runtime,
    run_id: run.id,
    brief_id: brief.id,
    attempt_id: attempt.id,
    mode: run.configuration.mode,
    assigned_at: attempt.createdAt,
  })
}

async function begin(parts: OnlookerParts, scene: Scene, handle: AgentHandle): Promise<void> {
  const { run, attempt } = scene
  const asked = scene.mode
  scene.mode = handle.mode ?? asked
  await parts.tree.appendSession(sessionLine(parts, scene, 'start', null))
  if (run.configuration.purpose === undefined) return
  const fallen = scene.mode === asked ? '' : ` (${asked} → ${scene.mode})`
  await note(parts, scene, {
    kind: 'exec_started',
    message: `agent ${attempt.agentId} works in ${scene.workspace}${fallen}`,
    data: {
      argv: (handle.argv ?? [attempt.runtime]).slice(0, 200).map((word) => shorten(word, 2_000)),
      host: parts.host,
      mode: scene.mode,
      asked_mode: asked,
      workspace: scene.workspace,
      boxed: handle.boxed ?? false,
      before: scene.before,
    },
  })
}

async function* follow(
  parts: OnlookerParts,
  scene: Scene,
  launch: Launch,
  events: AsyncIterable<RuntimeEvent>,
  leave: () => void,
): AsyncGenerator<RuntimeEvent> {
  const isExecution = scene.run.configuration.purpose !== undefined
  const [out, err] = [createTail(), createTail()]
  const redact = { out: createRedactor(), err: createRedactor() }
  let lastLine = ''
  let hasReport = false
  try {
    for await (const event of events) {
      if (event.kind === 'text') {
        const text = withoutColours(event.text)
        if (event.from === 'stderr') err.add(redact.err(text))
        else {
          out.add(redact.out(text))
          if (text.trim() !== '') lastLine = text
        }
      }
      if (event.kind === 'report') hasReport = true
      if (event.kind === 'ended') {
        const printed = { stdout: out.text(), stderr: err.text() }
        await end(parts, scene, event, printed).catch((error: unknown) => complain(parts, launch, error))
        // The result of an execution is in git, so a clean end without a report counts as done.
        if (isExecution && !hasReport && isClean(event) && !(await hasReported(parts, launch)))
          yield { kind: 'report', report: { status: 'done', summary: shorten(lastLine.trim() || 'It ended.', 2_000) } }
      }
      yield event
    }
  } finally {
    leave()
  }
}

const isClean = ({ exitCode, denied = [], limited, breach }: AgentEnded): boolean =>
  exitCode === 0 && denied.length === 0 && limited === undefined && breach === undefined

const hasReported = async ({ db }: OnlookerParts, { launchId }: Launch): Promise<boolean> => {
  const attempt = await db.read((tx) => findAttempt(tx, launchId))
  return attempt === undefined || attempt.report !== null
}

async function end(
  parts: OnlookerParts,
  scene: Scene,
  ended: AgentEnded,
  printed: { stdout: string; stderr: string },
): Promise<void> {
  const { attempt, run } = scene
  let changes: Changes | null = null
  if (run.configuration.purpose !== undefined) {
    const workspace = await boxed(parts, scene, 'open')
    changes = await changesOf(workspace, scene)
    if (scene.mode === 'plan_only' && changes !== null && !isNothing(changes))
      changes = await undo(parts, scene, workspace, changes)
    await parts.printed.save(attempt.id, printed)
    await note(parts, scene, {
      kind: 'exec_finished',
      message: `agent ${attempt.agentId} ended with ${ended.exitCode === null ? ended.signal : `exit code ${ended.exitCode}`}`,
      data: {
        exit_code: ended.exitCode,
        signal: ended.signal,
        mode: scene.mode,
        duration_ms: parts.clock.nowMs() - scene.startedMs,
        peak_memory_mb: ended.used?.memoryMb ?? null,
        processes: ended.used?.processes ?? null,
        disk_mb: ended.used?.diskMb ?? null,
        files_created: changes?.created ?? null,
        files_modified: changes?.modified ?? null,
        files_deleted: changes?.deleted ?? null,
      },
    })
  }
  // The cost is known once the agent's end is recorded, and that happens after this function.
  const logged = untilAgentEnded(parts, attempt.id)
    .then((recorded) => logEnd(parts, scene, recorded, changes))
    .catch((error: unknown) => parts.log.warn('a workspace’s log could not be written', { error: String(error) }))
  parts.logging.set(run.id, logged)
  void logged.then(() => {
    if (parts.logging.get(run.id) === logged) parts.logging.delete(run.id)
  })
}

const changesOf = async (workspace: Workspace, { before }: Scene): Promise<Changes | null> =>
  before === null ? null : changesSince(workspace, before)

const isNothing = ({ created, modified, deleted }: Changes): boolean =>
  created.length + modified.length + deleted.length === 0

/** Restores the files that an agent in the mode plan_only has changed, and records the violation. */
async function undo(
  parts: OnlookerParts,
  scene: Scene,
  workspace: Workspace,
  changes: Changes,
): Promise<Changes | null> {
  const files = [...changes.created, ...changes.modified, ...changes.deleted]
  const isRestored = scene.before !== null && (await restore(workspace, scene.before))
  await note(parts, scene, {
    kind: 'log',
    message: `plan_only, but ${files.length} files were changed; ${isRestored ? 'they were put back' : 'they could not be put back'}`,
    data: { violation: 'plan_only', files: files.slice(0, 100), restored: isRestored },
  })
  return changesOf(workspace, scene)
}

async function logEnd(parts: OnlookerParts, scene: Scene, recorded: Attempt, changes: Changes | null): Promise<void> {
  const exit = exitCodeOf(recorded)
  await parts.tree.appendSession(sessionLine(parts, scene, 'end', exit))
  if (scene.workspace === null || !(await parts.tree.exists(scene.workspace))) return
  await parts.tree.appendLog(scene.workspace, {
    timestamp: parts.clock.at(),
    prompt: shorten(createRedactor()(scene.run.goalAnchor), 2_000),
    tokens_used: recorded.inputTokens + recorded.outputTokens,
    cost: recorded.costMicros / 1_000_000,
    files_changed: changes === null ? null : [...changes.created, ...changes.modified, ...changes.deleted],
    exit_code: exit,
    mode: scene.mode,
    duration_ms: parts.clock.nowMs() - scene.startedMs,
  })
}

const sessionLine = (
  { clock }: OnlookerParts,
  { attempt, persona, mission, workspace, run }: Scene,
  event: 'start' | 'end',
  exit: number | null,
) => ({
  at: clock.at(),
  agent_id: attempt.agentId,
  persona,
  mission_id: mission.id,
  workspace: workspace ?? `${run.id}/${attempt.briefId}`,
  event,
  exit,
})

async function note(
  { db }: OnlookerParts,
  { run, brief, attempt }: Scene,
  event: Pick<NewEvent, 'kind' | 'message' | 'data'>,
): Promise<void> {
  await db.write([`run:${run.id}`], (tx) =>
    appendEvent(tx, `run:${run.id}`, {
      by: 'daemon',
      runId: run.id,
      briefId: brief.id,
      attemptId: attempt.id,
      ...event,
    }),
  )
}
