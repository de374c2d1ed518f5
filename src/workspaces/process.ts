import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'

import type { Breach, PreparedProcess, ProcessSpec, ResourceUse, Workspace } from './port.ts'

/** A process started in a workspace, as a process group of its own, in the box if there is one. */
export interface WorkspaceProcess {
  readonly pid: number
  readonly child: ChildProcess
  readonly boxed: boolean
  /** The exit of the command itself, not of the processes that wrap it. */
  readonly exited: Promise<Exit>
  hasExited(): boolean
  signal(signal: NodeJS.Signals): void
  /**
   * Releases the process after its exit; resolves to its resource use, and the breach if it was killed for exceeding a
   * limit.
   */
  leave(): Promise<{ readonly used: ResourceUse | null; readonly breach: Breach | null }>
}

export interface Exit {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
}

type Output = 'pipe' | 'ignore'

/** The file descriptor on which the box reports the start and the exit of the command: the first free one. */
const statusFd = 3

/** Starts a command; resolves once it runs, rejects with the system's error if it could not be started. */
export async function startInWorkspace(
  workspace: Pick<Workspace, 'enter'>,
  spec: ProcessSpec,
  [input, output, errors]: readonly [Output, Output, Output],
): Promise<WorkspaceProcess> {
  const prepared = await workspace.enter({ ...spec, statusFd })
  try {
    const { child, pid } = await spawnProcess(prepared, [input, output, errors])
    const status = prepared.hasStatus ? readStatus(child) : null
    const exited = exitOf(child, prepared.boxed, status)
    let breach: Breach | null = null
    let exitedAlready = false
    void exited.then(() => (exitedAlready = true))
    prepared.watch(pid, (reported) => (breach = reported))
    if (status !== null) await holdOutput(child, status.began)
    return {
      pid,
      child,
      boxed: prepared.boxed,
      exited,
      hasExited: () => exitedAlready,
      signal: (signal) => {
        // A box ends with its first process, and its pid may have been reused by now; a process group may outlive its
        // leader.
        if (!exitedAlready || !prepared.boxed) prepared.signal(pid, signal)
      },
      leave: async () => ({ used: await prepared.leave(), breach }),
    }
  } catch (error) {
    await prepared.leave()
    throw error
  }
}

function spawnProcess(
  { command: [program, ...args], environment, directory, hasStatus }: PreparedProcess,
  stdio: readonly [Output, Output, Output],
): Promise<{ child: ChildProcess; pid: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: directory,
      env: environment,
      detached: true,
      stdio: hasStatus ? [...stdio, 'pipe'] : [...stdio],
    })
    // An agent may exit without reading its prompt.
    child.stdin?.on('error', () => {})
    child.once('error', reject)
    child.once('spawn', () => {
      // Later errors are about signals to a process that has exited.
      child.off('error', reject).on('error', () => {})
      resolve({ child, pid: child.pid as number })
    })
  })
}

interface Status {
  /** Rejects if the command, or its box, could not be started. */
  readonly began: Promise<void>
  ended(): Exit | null
}

/**
 * Reads one line when the command runs or could not start, and one when it has exited; none if the box itself was
 * killed.
 */
function readStatus(child: ChildProcess): Status {
  const { promise: began, resolve, reject } = Promise.withResolvers<void>()
  began.catch(() => {})
  let text = ''
  let ended: Exit | null = null
  const readLine = (line: string): void => {
    const [word, value = ''] = line.split(' ')
    if (word === 'began') resolve()
    else if (word === 'failed') reject(Object.assign(new Error(value), { code: value }))
    else if (word === 'exit') ended = { exitCode: Number(value), signal: null }
    else if (word === 'signal') ended = { exitCode: null, signal: value as NodeJS.Signals }
  }
  const pipe = child.stdio[statusFd] as Readable
  pipe.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n')
    text = (lines.pop() ?? '').slice(-100)
    for (const line of lines) readLine(line)
  })
  pipe.on('error', () => {})
  pipe.once('close', () => {
    const fail = (): void => reject(new Error(lastLine(child.stderr) || 'the box could not be created'))
    if (child.exitCode === null && child.signalCode === null) child.once('exit', fail)
    else fail()
  })
  return { began, ended: () => ended }
}

/**
 * Keeps the output of a process until its caller can read it: Node discards unread output of a process that has exited,
 * and the caller does not have the process before it has begun.
 */
async function holdOutput(child: ChildProcess, began: Promise<void>): Promise<void> {
  const hold = (): void => {}
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null)
  for (const stream of streams) stream.on('readable', hold)
  await began
  for (const stream of streams) stream.off('readable', hold)
}

const lastLine = (stream: Readable | null): string =>
  String((stream?.read() as Buffer | null) ?? '')
    .trim()
    .split('\n')
    .at(-1) ?? ''

/**
 * Resolves to the exit. A box without a status, or one that was killed itself, reports a signal as shells do: 128 plus
 * its number.
 */
const exitOf = (child: ChildProcess, boxed: boolean, status: Status | null): Promise<Exit> =>
  new Promise((resolve) => {
    const settle = (exitCode: number | null, signal: NodeJS.Signals | null): void => {
      const killedBy = boxed && signal === null ? signalOf((exitCode ?? 0) - 128) : null
      resolve(status?.ended() ?? (killedBy === null ? { exitCode, signal } : { exitCode: null, signal: killedBy }))
    }
    child.once('exit', (exitCode, signal) => {
      const pipe = status === null ? null : (child.stdio[statusFd] as Readable)
      // Its last line may not have arrived yet.
      if (pipe === null || pipe.readableEnded || pipe.destroyed) settle(exitCode, signal)
      else pipe.once('close', () => settle(exitCode, signal))
    })
  })

const signalOf = (number: number): NodeJS.Signals | null =>
  (Object.entries(constants.signals).find(([, each]) => each === number)?.[0] as NodeJS.Signals | undefined) ?? null
