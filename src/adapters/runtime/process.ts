import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'

import { type Clock, sleep, systemClock } from '../../kernel/clock.ts'
import { AgencyError, refusal } from '../../kernel/errors.ts'
import { breachText, violationText } from '../../workspaces/breach.ts'
import { type WorkspaceProcess, startInWorkspace } from '../../workspaces/process.ts'
import type { Breach, ProcessSpec, ResourceUse } from '../../workspaces/port.ts'
import { createEventQueue } from './event-queue.ts'
import { createLineSplitter, createTranscript, type LineReader, type Transcript } from './output.ts'
import type { AgentEnded, AgentHandle, Launch, Limited, RuntimeEvent } from './port.ts'
import { killSurvivors } from '../../processes/survivors.ts'

export interface AgentProcess {
  readonly launch: Launch
  readonly command: readonly [program: string, ...args: string[]]
  /** Beside the launch's own. */
  readonly environment?: Record<string, string>
  /** What it needs of this machine beside its workspace. */
  readonly needs?: Pick<ProcessSpec, 'readable' | 'forwards'>
  /** What a line of standard output means; null: it is text. */
  readonly readLine?: (line: string) => RuntimeEvent | ({ kind: 'limited' } & Limited) | readonly RuntimeEvent[] | null
  /** How long a line that holds an object may be; longer ones are cut, and then text. */
  readonly maxJsonBytes?: number
  /** What it left behind, asked for once it is gone; `lastLine` is the last of standard output that was not blank, or '' for one of a flood. */
  readonly readResult?: (lastLine: string) => Promise<RuntimeEvent[]>
  /** What its own account says about its end, asked for last. */
  readonly readEnd?: () => Pick<AgentEnded, 'detail' | 'limited' | 'denied'>
  /** By which it can be gone on with. */
  readonly session?: string
  /** Takes what must not be shown out of whatever it prints. */
  readonly hide?: (text: string) => string
  /** What is to be said about it before it says anything itself. */
  readonly remarks?: readonly string[]
  readonly graceMs?: number
  readonly clock?: Clock
}

/** Starts an agent as a process group of its own, with the prompt as its input; nothing of it outlives its end. */
export async function startProcess(agent: AgentProcess): Promise<AgentHandle> {
  const { launch, readLine, readResult, readEnd, session, hide, graceMs = 5_000, clock = systemClock } = agent
  const inside = await started(agent)
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
    await endRest(launch.launchId, output, clock)
    const { used, breach } = await inside.leave()
    const result = await resultOf(readResult, output.end())
    for (const event of result.events) queue.push(event)
    const { detail: own, ...end } = readEnd?.() ?? {}
    const trouble = troubleOf(breach, used)
    const detail = trouble ?? result.failure ?? own ?? transcript.missing()
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
      // Once it is gone its number may be somebody else's.
      if (inside.hasExited()) return gone
      queue.open()
      inside.signal('SIGTERM')
      const cancel = clock.after(graceMs, () => inside.signal('SIGKILL'))
      return gone.finally(cancel)
    },
  }
}

/** What it did beyond what it may is said first. */
function troubleOf(breach: Breach | null, used: ResourceUse | null): string | undefined {
  if (breach !== null) return breachText(breach)
  return used?.violations === undefined ? undefined : violationText(used.violations)
}

/** What left its group still carries the launch id. Only one that also cleared its environment can hold the output open. */
async function endRest(launchId: string, output: { closed: Promise<void> }, clock: Clock): Promise<void> {
  let isClosed = false
  void output.closed.then(() => (isClosed = true))
  await killSurvivors([launchId])
  for (let look = 0; look < 10 && !isClosed; look += 1) {
    await Promise.race([output.closed, sleep(clock, 100)])
    if (!isClosed) await killSurvivors([launchId])
  }
}

async function started({ launch, command, environment, needs }: AgentProcess): Promise<WorkspaceProcess> {
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
    throw error instanceof AgencyError ? error : notStarted(command[0], launch, error as NodeJS.ErrnoException)
  }
}

/** Nothing of the daemon's own environment but what every program needs: it holds the operator's secrets. */
function basicEnvironment(launch: Launch): Record<string, string> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', LANG = 'C.UTF-8', TMPDIR } = process.env
  return { PATH, LANG, ...(TMPDIR === undefined ? {} : { TMPDIR }), HOME: launch.workspace.home, ...launch.environment }
}

function notStarted(program: string, launch: Launch, error: NodeJS.ErrnoException): AgencyError {
  const why = {
    ENOENT: existsSync(launch.workspace.path) ? 'no such program' : 'its workspace is gone',
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
    onSkip: (bytes) => {
      lastLine = ''
      transcript.drop(bytes)
    },
  }
  const out = createLineSplitter(reader, maxJsonBytes)
  const err = createLineSplitter({
    isSkimming: transcript.isFull,
    onLine: (line, cutBytes) => transcript.text(line, cutBytes, 'stderr'),
    onSkip: transcript.drop,
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
