import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import type { Duplex, Readable } from 'node:stream'

import { filterFd, initFd } from './box/arguments.ts'
import type { BoxInit, Breach, PreparedProcess, ProcessSpec, ResourceUse, Workspace } from './port.ts'
import { withInheritedUmask } from '../processes/umask.ts'

/** A process started in a workspace, as a process group of its own, in the box if there is one. */
export interface WorkspaceProcess {
  readonly pid: number
  readonly child: ChildProcess
  readonly boxed: boolean
  /** See `PreparedProcess.hidden`. */
  readonly hidden: readonly string[]
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
  /**
   * The box ended and its init had not reported the exit of the command, nor did the daemon kill it: nothing is known
   * about the command. The signal, if any, ended the box.
   */
  readonly isLost?: true
}

type Output = 'pipe' | 'ignore'

/** Starts a command; resolves once it runs, rejects with the system's error if it could not be started. */
export async function startInWorkspace(
  workspace: Pick<Workspace, 'enter'>,
  spec: ProcessSpec,
  [input, output, errors]: readonly [Output, Output, Output],
): Promise<WorkspaceProcess> {
  const prepared = await workspace.enter(spec)
  try {
    const { child, pid } = await spawnProcess(prepared, [input, output, errors])
    const status = prepared.init === null ? null : followInit(child, prepared.init)
    let isKilled = false
    const settled = (): boolean => {
      prepared.settle?.()
      return isKilled
    }
    const exited = status === null ? exitOf(child) : exitInside(child, status, () => isKilled || settled())
    let breach: Breach | null = null
    let exitedAlready = false
    void exited.then(() => (exitedAlready = true))
    prepared.watch(pid, (reported) => {
      breach = reported
      isKilled = true
    })
    if (status !== null) await holdOutput(child, status.began)
    return {
      pid,
      child,
      boxed: prepared.boxed,
      hidden: prepared.hidden ?? [],
      exited,
      hasExited: () => exitedAlready,
      signal: (signal) => {
        // A box ends with its first process, and its pid may have been reused by now; a process group may outlive its
        // leader.
        if (exitedAlready && prepared.boxed) return
        isKilled ||= signal === 'SIGKILL'
        prepared.signal(pid, signal)
      },
      leave: async () => ({ used: await prepared.leave(), breach }),
    }
  } catch (error) {
    await prepared.leave()
    throw error
  }
}

async function spawnProcess(
  { command: [program, ...args], environment, directory, init }: PreparedProcess,
  stdio: readonly [Output, Output, Output],
): Promise<{ child: ChildProcess; pid: number }> {
  const filter = init === null ? null : openSync(init.filter, 'r')
  try {
    return await new Promise((resolve, reject) => {
      const child = withInheritedUmask(() =>
        spawn(program, args, {
          cwd: directory,
          env: environment,
          detached: true,
          stdio: filter === null ? [...stdio] : Object.assign([...stdio], { [initFd]: 'pipe', [filterFd]: filter }),
        }),
      )
      // An agent may exit without reading its prompt.
      child.stdin?.on('error', () => {})
      child.once('error', reject)
      child.once('spawn', () => {
        // Later errors are about signals to a process that has exited.
        child.off('error', reject).on('error', () => {})
        resolve({ child, pid: child.pid as number })
      })
    })
  } finally {
    if (filter !== null) closeSync(filter)
  }
}

interface Status {
  /** Rejects if the command, or its box, could not be started. */
  readonly began: Promise<void>
  ended(): Exit | null
}

/**
 * Sends the plan to init, and reads its lines: one when the command runs or could not start, one when it has exited, none
 * if the box itself was killed. A line without the secret is not init's.
 */
function followInit(child: ChildProcess, { plan, secret }: BoxInit): Status {
  const { promise: began, resolve, reject } = Promise.withResolvers<void>()
  began.catch(() => {})
  let text = ''
  let ended: Exit | null = null
  const readLine = (line: string): void => {
    const [nonce, word, ...values] = line.split(' ')
    if (nonce !== secret || ended !== null) return
    if (word === 'began') resolve()
    else if (word === 'failed') reject(startError(values))
    else if (word === 'exit') ended = { exitCode: Number(values[0]), signal: null }
    else if (word === 'signal') ended = { exitCode: null, signal: signalOf(Number(values[0])) }
  }
  const socket = child.stdio[initFd] as Duplex
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n')
    text = (lines.pop() ?? '').slice(-1_000)
    for (const line of lines) readLine(line)
  })
  socket.on('error', () => {})
  socket.once('close', () => {
    const fail = (): void => reject(new Error(lastLine(child.stderr) || 'the box could not be created'))
    if (child.exitCode === null && child.signalCode === null) child.once('exit', fail)
    else fail()
  })
  socket.end(plan)
  return { began, ended: () => ended }
}

/** Returns the error of a command as without a box; errors of init itself have a text of their own. */
function startError([part, ...values]: readonly string[]): Error {
  const code = errorName(Number(values.at(-1)))
  if (part === 'command') return Object.assign(new Error(code), { code })
  return new Error(part === 'port' ? `the box cannot open port ${values[0]}: ${code}` : `init of the box: ${code}`)
}

const errorName = (number: number): string =>
  Object.entries(constants.errno).find(([, each]) => each === number)?.[0] ?? `error ${number}`

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

const exitOf = (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
  })

/**
 * Resolves to the exit that init has reported. The exit code of bubblewrap is that of init, never of the command: if it
 * is above 128, a signal from outside ended the box.
 */
async function exitInside(child: ChildProcess, status: Status, isKilled: () => boolean): Promise<Exit> {
  const box = await exitOf(child)
  const socket = child.stdio[initFd] as Duplex
  // The last line may not have arrived yet.
  if (!socket.readableEnded && !socket.destroyed) await new Promise((resolve) => void socket.once('close', resolve))
  const ended = status.ended()
  if (ended !== null) return ended
  if (isKilled()) return { exitCode: null, signal: 'SIGKILL' }
  return { exitCode: null, signal: box.signal ?? signalOf((box.exitCode ?? 0) - 128), isLost: true }
}

const signalOf = (number: number): NodeJS.Signals | null =>
  (Object.entries(constants.signals).find(([, each]) => each === number)?.[0] as NodeJS.Signals | undefined) ?? null
