import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'

import type { Breach, PreparedProcess, ProcessSpec, ResourceUse, Workspace } from './port.ts'

/** A process that was started in a workspace, as a group of its own, in the box where there is one. */
export interface WorkspaceProcess {
  readonly pid: number
  readonly child: ChildProcess
  readonly boxed: boolean
  /** How the command itself ended, whatever stands between it and us. */
  readonly exited: Promise<Exit>
  hasExited(): boolean
  signal(signal: NodeJS.Signals): void
  /** To be called once it has exited: what it used, and whether it was killed for using too much. */
  leave(): Promise<{ readonly used: ResourceUse | null; readonly breach: Breach | null }>
}

export interface Exit {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
}

type Output = 'pipe' | 'ignore'

/** In which of its files the box says how the command began and ended: the first that is free. */
const statusFd = 3

/** Resolves once the command itself runs; rejects with the system's error where it could not be started. */
export async function startInWorkspace(
  workspace: Pick<Workspace, 'enter'>,
  entry: ProcessSpec,
  [input, output, errors]: readonly [Output, Output, Output],
): Promise<WorkspaceProcess> {
  const entered = await workspace.enter({ ...entry, statusFd })
  try {
    const { child, pid } = await spawned(entered, [input, output, errors])
    const status = entered.hasStatus ? readStatus(child) : null
    const exited = exitOf(child, entered.boxed, status)
    let breach: Breach | null = null
    let isGone = false
    void exited.then(() => (isGone = true))
    entered.watch(pid, (found) => (breach = found))
    if (status !== null) await holding(child, status.began)
    return {
      pid,
      child,
      boxed: entered.boxed,
      exited,
      hasExited: () => isGone,
      signal: (signal) => {
        // A box ends with its first process, and its number may be somebody else's by now; a group may outlive its leader.
        if (!isGone || !entered.boxed) entered.signal(pid, signal)
      },
      leave: async () => ({ used: await entered.leave(), breach }),
    }
  } catch (error) {
    await entered.leave()
    throw error
  }
}

function spawned(
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
    // An agent need not read its prompt.
    child.stdin?.on('error', () => {})
    child.once('error', reject)
    child.once('spawn', () => {
      // Later ones are about signals that found nobody.
      child.off('error', reject).on('error', () => {})
      resolve({ child, pid: child.pid as number })
    })
  })
}

interface Status {
  /** Rejects where the command could not be started, or no box for it. */
  readonly began: Promise<void>
  ended(): Exit | null
}

/** One line when the command runs or cannot, one when it has ended; nothing where the box itself was killed. */
function readStatus(child: ChildProcess): Status {
  const { promise: began, resolve, reject } = Promise.withResolvers<void>()
  began.catch(() => {})
  let text = ''
  let ended: Exit | null = null
  const heed = (line: string): void => {
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
    for (const line of lines) heed(line)
  })
  pipe.on('error', () => {})
  pipe.once('close', () => {
    const complain = (): void => reject(new Error(lastLine(child.stderr) || 'the box could not be made'))
    if (child.exitCode === null && child.signalCode === null) child.once('exit', complain)
    else complain()
  })
  return { began, ended: () => ended }
}

/** Node throws away what nobody reads of a process that has exited, and until it has begun nobody can know of it. */
async function holding(child: ChildProcess, began: Promise<void>): Promise<void> {
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

/** A box that says nothing, or was killed itself, speaks like a shell: 128 and the number of the signal. */
const exitOf = (child: ChildProcess, boxed: boolean, status: Status | null): Promise<Exit> =>
  new Promise((resolve) => {
    const settle = (exitCode: number | null, signal: NodeJS.Signals | null): void => {
      const killedBy = boxed && signal === null ? signalOf((exitCode ?? 0) - 128) : null
      resolve(status?.ended() ?? (killedBy === null ? { exitCode, signal } : { exitCode: null, signal: killedBy }))
    }
    child.once('exit', (exitCode, signal) => {
      const pipe = status === null ? null : (child.stdio[statusFd] as Readable)
      // Its last line may still be on the way.
      if (pipe === null || pipe.readableEnded || pipe.destroyed) settle(exitCode, signal)
      else pipe.once('close', () => settle(exitCode, signal))
    })
  })

const signalOf = (number: number): NodeJS.Signals | null =>
  (Object.entries(constants.signals).find(([, each]) => each === number)?.[0] as NodeJS.Signals | undefined) ?? null
