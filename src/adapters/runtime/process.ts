import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

import { type Clock, sleep, systemClock } from '../../kernel/clock.ts'
import { type AgencyError, refusal } from '../../kernel/errors.ts'
import { createEventQueue } from './event-queue.ts'
import { createLineSplitter, createTranscript, type Transcript } from './output.ts'
import type { AgentHandle, Launch, Limited, RuntimeEvent } from './port.ts'
import { killSurvivors } from './survivors.ts'

export interface AgentProcess {
  readonly launch: Launch
  readonly command: readonly [program: string, ...args: string[]]
  /** Beside the launch's own. */
  readonly environment?: Record<string, string>
  /** What a line of standard output means; null: it is text. */
  readonly readLine?: (line: string) => RuntimeEvent | ({ kind: 'limited' } & Limited) | null
  /** What it left behind, asked for once it is gone; `lastLine` is the last of standard output that was not blank, or '' for one of a flood. */
  readonly readResult?: (lastLine: string) => Promise<RuntimeEvent[]>
  readonly graceMs?: number
  readonly clock?: Clock
}

/** Starts an agent as a process group of its own, with the prompt as its input; nothing of it outlives its end. */
export async function startProcess(agent: AgentProcess): Promise<AgentHandle> {
  const { launch, readLine, readResult, graceMs = 5_000, clock = systemClock } = agent
  const child = await spawned(agent)
  const queue = createEventQueue({
    pause: () => void [child.stdout?.pause(), child.stderr?.pause()],
    resume: () => void [child.stdout?.resume(), child.stderr?.resume()],
  })
  const transcript = createTranscript(queue.push)
  let limited: Limited | null = null
  const output = followOutput(child, transcript, (line) => {
    const event = readLine?.(line) ?? null
    if (event === null || event.kind === 'text') transcript.text(event?.text ?? line)
    else if (event.kind === 'limited') limited = { ...event }
    else queue.push(event)
  })
  const gone = exitOf(child).then(async ({ exitCode, signal }) => {
    queue.open()
    signalGroup(child, 'SIGKILL')
    await endRest(launch.launchId, output, clock)
    const result = await resultOf(readResult, output.end())
    for (const event of result.events) queue.push(event)
    const detail = result.failure ?? transcript.missing()
    queue.push({
      kind: 'ended',
      exitCode,
      signal,
      ...(detail === undefined ? {} : { detail }),
      ...(limited === null ? {} : { limited }),
    })
  })
  return {
    pid: child.pid ?? null,
    events: queue.events,
    send: () => Promise.reject(refusal('unsupported', 'this agent takes no messages while it works')),
    interrupt: () => {
      // Once it is gone its number may be somebody else's.
      if (child.exitCode !== null || child.signalCode !== null) return gone
      queue.open()
      signalGroup(child, 'SIGTERM')
      const cancel = clock.after(graceMs, () => signalGroup(child, 'SIGKILL'))
      return gone.finally(cancel)
    },
  }
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

function spawned({ launch, command, environment }: AgentProcess): Promise<ChildProcess> {
  const [program, ...args] = command
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(notStarted(program, launch, error))
    try {
      const child = spawn(program, args, {
        cwd: launch.workspace.path,
        env: { ...basicEnvironment(launch), ...environment, AGENCY_LAUNCH_ID: launch.launchId },
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      child.once('error', fail)
      child.once('spawn', () => {
        // Later ones are about signals that found nobody.
        child.off('error', fail).on('error', () => {})
        resolve(child)
      })
      // An agent need not read its prompt.
      child.stdin.on('error', () => {})
      child.stdin.end(launch.prompt)
    } catch (error) {
      fail(error as NodeJS.ErrnoException)
    }
  })
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

const exitOf = (child: ChildProcess): Promise<{ exitCode: number | null; signal: string | null }> =>
  new Promise((resolve) => child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })))

function followOutput(child: ChildProcess, transcript: Transcript, onLine: (line: string) => void) {
  let lastLine = ''
  const out = createLineSplitter({
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
  })
  const err = createLineSplitter({ isSkimming: transcript.isFull, onLine: transcript.text, onSkip: transcript.drop })
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
    return { events: [], failure: `its result could not be read: ${(error as Error).message}` }
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // Nobody of the group is left.
  }
}
