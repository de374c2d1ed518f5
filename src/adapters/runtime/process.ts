import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'

import { type Clock, sleep, systemClock } from '../../kernel/clock.ts'
import { AgencyError, refusal } from '../../kernel/errors.ts'
import { breachText, violationText } from '../../workspaces/breach.ts'
import { type WorkspaceProcess, startInWorkspace } from '../../workspaces/process.ts'
import type { Breach, ProcessSpec, ResourceUse } from '../../workspaces/port.ts'
import { createEventQueue } from './event-queue.ts'
import { createLineSplitter, type LineReader } from './output.ts'
import type { AgentEnded, AgentHandle, Launch, Limited, RuntimeEvent } from './port.ts'
import { createTranscript, type Transcript } from './transcript.ts'
import { killSurvivors } from '../../processes/survivors.ts'

export interface AgentProcess {
  readonly launch: Launch
  readonly command: readonly [program: string, ...args: string[]]
  /** Variables in addition to those of the launch. */
  readonly environment?: Record<string, string>
  /** Servers of this machine that it needs. */
  readonly needs?: Pick<ProcessSpec, 'forwards'>
  /** Parses a line of standard output; null means that the line is text. */
  readonly readLine?: (line: string) => RuntimeEvent | ({ kind: 'limited' } & Limited) | readonly RuntimeEvent[] | null
  /** The maximum length of a line that contains an object; longer lines are cut and become text. */
  readonly maxJsonBytes?: number
  /**
   * Reads the agent's result, called once it has exited; `lastLine` is the last line of standard output that was not
   * blank, or '' if that line was skipped in a flood.
   */
  readonly readResult?: (lastLine: string) => Promise<RuntimeEvent[]>
  /** Returns the agent's own explanation of its end; called last. */
  readonly readEnd?: () => Pick<AgentEnded, 'detail' | 'limited' | 'denied' | 'madeNoReport'>
  /** The session by which it can be resumed. */
  readonly session?: string
  /** Removes secrets from its output. */
  readonly hide?: (text: string) => string
  /** Lines that are shown before the agent's own output. */
  readonly remarks?: readonly string[]
  readonly graceMs?: number
  readonly clock?: Clock
}

/** Starts an agent as a process group of its own, with the prompt as its input; none of its processes outlives it. */
export async function startProcess(agent: AgentProcess): Promise<AgentHandle> {
  const { launch, readLine, readResult, readEnd, session, hide, graceMs = 5_000, clock = systemClock } = agent
  const inside = await startAgent(agent)
  const { child } = inside
  const queue = createEventQueue({
    pause: () => void [child.stdout?.pause(), child.stderr?.pause()],
    resume: () => void [child.stdout?.resume(), child.stderr?.resume()],
  })
  const transcript = createTranscript((event) =>
    queue.push(event.kind === 'text' && hide !== undefined ? { ...event, text: hide(event.text) } : event),
  )
  for (const remark of agent.remarks ?? []) transcript.text(remark)
  let limited: Limited | null = null
  const output = followOutput(child, transcript, agent.maxJsonBytes, (line) => {
    const read = readLine?.(line) ?? { kind: 'text', text: line }
    for (const event of 'kind' in read ? [read] : read) {
      if (event.kind === 'text') transcript.text(event.text)
      else if (event.kind === 'limited') limited = { ...event }
      else queue.push(event)
    }
  })
  const gone = inside.exited.then(async ({ exitCode, signal }) => {
    queue.open()
    inside.signal('SIGKILL')
    await killRest(launch.launchId, output, clock)
    const { used, breach } = await inside.leave()
    const result = await resultOf(readResult, output.end())
    transcript.end()
    for (const event of result.events) queue.push(event)
    const { detail: own, ...end } = readEnd?.() ?? {}
    const violation = violationOf(breach, used)
    const detail =
      violation ?? result.failure ?? own ?? (exitCode === 0 ? undefined : hiddenText(inside)) ?? transcript.missing()
    queue.push({
      kind: 'ended',
      exitCode,
      signal,
      ...end,
      ...(detail === undefined ? {} : { detail }),
      ...(limited === null ? {} : { limited }),
      ...(breach === null ? {} : { breach }),
      ...(used === null ? {} : { used }),
    })
  })
  return {
    pid: inside.pid,
    boxed: inside.boxed,
    argv: agent.command,
    ...(session === undefined ? {} : { session }),
    events: queue.events,
    send: () => Promise.reject(refusal('unsupported', 'this agent takes no messages while it works')),
    interrupt: () => {
      // Once it has exited, its pid may belong to another process.
      if (inside.hasExited()) return gone
      queue.open()
      inside.signal('SIGTERM')
      const cancel = clock.after(graceMs, () => inside.signal('SIGKILL'))
      return gone.finally(cancel)
    },
  }
}

/** Returns the violation of a limit or policy, which takes precedence over every other explanation of the end. */
function violationOf(breach: Breach | null, used: ResourceUse | null): string | undefined {
  if (breach !== null) return breachText(breach)
  return used?.violations === undefined ? undefined : violationText(used.violations)
}

/** Explains the failure of a command that names files which its box does not show. */
function hiddenText({ hidden: [path, ...others] }: WorkspaceProcess): string | undefined {
  if (path === undefined) return undefined
  const more = others.length === 0 ? '' : ` and ${others.length} more of its arguments`
  return `its box does not show ${path}${more}; start it with --readable ${path}`
}

/**
 * Kills the remaining processes. One that left the group still carries the launch id; only one that also cleared its
 * environment can keep the output open.
 */
async function killRest(launchId: string, output: { closed: Promise<void> }, clock: Clock): Promise<void> {
  let isClosed = false
  void output.closed.then(() => (isClosed = true))
  await killSurvivors([launchId])
  for (let pass = 0; pass < 10 && !isClosed; pass += 1) {
    await Promise.race([output.closed, sleep(clock, 100)])
    if (!isClosed) await killSurvivors([launchId])
  }
}

async function startAgent({ launch, command, environment, needs }: AgentProcess): Promise<WorkspaceProcess> {
  try {
    const inside = await startInWorkspace(
      launch.workspace,
      {
        command,
        environment: { ...basicEnvironment(launch), ...environment, AGENCY_LAUNCH_ID: launch.launchId },
        ...needs,
      },
      ['pipe', 'pipe', 'pipe'],
    )
    inside.child.stdin?.end(launch.prompt)
    return inside
  } catch (error) {
    throw error instanceof AgencyError ? error : startError(command[0], launch, error as NodeJS.ErrnoException)
  }
}

/** Passes only the variables that every program needs: the daemon's own environment contains the operator's secrets. */
function basicEnvironment(launch: Launch): Record<string, string> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', LANG = 'C.UTF-8', TMPDIR } = process.env
  return { PATH, LANG, ...(TMPDIR === undefined ? {} : { TMPDIR }), HOME: launch.workspace.home, ...launch.environment }
}

function startError(program: string, launch: Launch, error: NodeJS.ErrnoException): AgencyError {
  const why = {
    ENOENT: existsSync(launch.workspace.path) ? 'no such program' : 'its workspace no longer exists',
    EACCES: 'it is not executable',
    E2BIG: 'its arguments are too long',
  }[error.code ?? '']
  return refusal('no_runtime', `cannot start "${program}": ${why ?? error.message}`, { cause: error })
}

function followOutput(
  child: ChildProcess,
  transcript: Transcript,
  maxJsonBytes: number | undefined,
  onLine: (line: string) => void,
) {
  let lastLine = ''
  const reader: LineReader = {
    isSkimming: transcript.isFull,
    onLine: (line, cutBytes) => {
      if (line.trim() !== '') lastLine = line
      transcript.drop(cutBytes)
      onLine(line)
    },
    onSkip: (block, lines) => {
      lastLine = ''
      transcript.skip(block, lines)
    },
  }
  const out = createLineSplitter(reader, maxJsonBytes)
  const err = createLineSplitter({
    isSkimming: transcript.isFull,
    onLine: (line, cutBytes) => transcript.text(line, cutBytes, 'stderr'),
    onSkip: (block, lines) => transcript.skip(block, lines, 'stderr'),
  })
  child.stdout?.on('data', out.write)
  child.stderr?.on('data', err.write)
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const end = (): string => {
    child.stdout?.destroy()
    child.stderr?.destroy()
    out.end()
    err.end()
    return lastLine
  }
  return { closed, end }
}

async function resultOf(
  readResult: AgentProcess['readResult'],
  lastLine: string,
): Promise<{ events: RuntimeEvent[]; failure?: string }> {
  try {
    return { events: (await readResult?.(lastLine)) ?? [] }
  } catch (error) {
    return { events: [], failure: `the agent's result could not be read: ${(error as Error).message}` }
  }
}
