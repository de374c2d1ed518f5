import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'

import { killSurvivors } from '../adapters/runtime/survivors.ts'
import { type Clock, sleep } from '../kernel/clock.ts'
import type { CommandResult } from './port.ts'
import { textOf } from './text.ts'

export interface Command {
  readonly command: string
  readonly directory: string
  readonly home: string
  /** By which it is found and ended if we die while it runs. */
  readonly launchId: string | null
  readonly clock: Clock
  readonly timeoutMs: number
  readonly maxOutputBytes: number
}

/** How long a command may take to tidy up once it was asked to end. */
const graceMs = 2_000
/** How long its output may stay open after its end: only a process that left its group can still hold it. */
const lingerMs = 500

/** Runs a shell command and leaves nothing of it behind: neither a process, in its group or out of it, nor an open pipe. */
export async function runCommand({
  command,
  directory,
  home,
  launchId,
  clock,
  timeoutMs,
  maxOutputBytes,
}: Command): Promise<CommandResult> {
  const startedMs = clock.nowMs()
  // One pipe for both outputs keeps them in the order in which they were written, so that the hash means something.
  const child = spawn('/bin/sh', ['-c', 'exec /bin/sh -c "$0" 2>&1', command], {
    cwd: directory,
    env: cleanEnvironment(home, launchId),
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const output = collect(child, maxOutputBytes)
  let timedOut = false
  const cancelTimeout = clock.after(timeoutMs, () => {
    timedOut = true
    signalGroup(child, 'SIGTERM')
    clock.after(graceMs, () => child.exitCode === null && child.signalCode === null && signalGroup(child, 'SIGKILL'))
  })
  const { exitCode, signal, failure } = await exitOf(child)
  cancelTimeout()
  signalGroup(child, 'SIGKILL')
  if (launchId !== null) await killSurvivors([launchId])
  await Promise.race([output.closed, sleep(clock, lingerMs)])
  child.stdout?.destroy()
  return {
    exitCode,
    signal,
    timedOut,
    output: failure ?? textOf(Buffer.concat(output.head), maxOutputBytes),
    outputSha256: output.hash.digest('hex'),
    durationMs: Math.max(0, clock.nowMs() - startedMs),
    boxed: false,
  }
}

const cleanEnvironment = (home: string, launchId: string | null): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: home,
  LANG: process.env['LANG'] ?? 'C.UTF-8',
  ...(launchId === null ? {} : { AGENCY_LAUNCH_ID: launchId }),
})

interface Exit {
  exitCode: number | null
  signal: string | null
  /** It was never started: the workspace is gone, or the system has no room for another process. */
  failure?: string
}

const exitOf = (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve({ exitCode: null, signal: null, failure: `could not be started (${error.code ?? error.message})` }),
    )
  })

function collect(child: ChildProcess, maxBytes: number) {
  const hash = createHash('sha256')
  const head: Buffer[] = []
  let kept = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    hash.update(chunk)
    if (kept > maxBytes) return
    // Copied, because the slice would keep the whole chunk alive.
    const part = Buffer.from(chunk.subarray(0, maxBytes + 1 - kept))
    head.push(part)
    kept += part.length
  })
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  return { hash, head, closed }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // Nobody of the group is left.
  }
}
