import { createHash } from 'node:crypto'

import { launchEnvironment } from '../processes/launch-id.ts'
import { killSurvivors } from '../processes/survivors.ts'
import { type Clock, sleep } from '../kernel/clock.ts'
import { AgencyError } from '../kernel/errors.ts'
import { breachText } from './breach.ts'
import { collectOutput } from './output.ts'
import { type WorkspaceProcess, startInWorkspace } from './process.ts'
import type { CommandLimits, CommandResult, Workspace } from './port.ts'

export interface Command extends CommandLimits {
  readonly command: string
  readonly workspace: Pick<Workspace, 'enter' | 'home'>
  /** Identifies the command's processes, so that they are found and killed if this process dies while they run. */
  readonly launchId: string | null
  /** The environment of the command does not show that Agency runs it. */
  readonly isHidden?: boolean
  /** Added to the clean environment. */
  readonly environment?: Readonly<Record<string, string>>
  /** Directories in which programs are looked up first. */
  readonly programs?: readonly string[]
  readonly clock: Clock
}

/** Time for a command to clean up after SIGTERM. */
const graceMs = 2_000
/** Time for its output to close after its exit: only a process that left its group can still hold it open. */
const lingerMs = 500

/** Runs a shell command and leaves nothing behind: neither a process, inside or outside its group, nor an open pipe. */
export async function runCommand({
  command,
  workspace,
  launchId,
  isHidden = false,
  environment = {},
  programs = [],
  clock,
  timeoutMs,
  maxOutputBytes,
  searchFor,
  signal: stop,
}: Command): Promise<CommandResult> {
  const startedMs = clock.nowMs()
  const durationMs = (): number => Math.max(0, clock.nowMs() - startedMs)
  let inside: WorkspaceProcess
  try {
    inside = await startInWorkspace(
      workspace,
      {
        // One pipe for both outputs keeps them in the order in which they were written, so that the hash is meaningful.
        command: ['/bin/sh', '-c', 'exec /bin/sh -c "$0" 2>&1', command],
        environment: {
          ...cleanEnvironment(workspace.home, programs),
          ...(launchId === null ? {} : launchEnvironment(launchId, { isHidden })),
          ...environment,
        },
      },
      ['ignore', 'pipe', 'ignore'],
    )
  } catch (error) {
    if (error instanceof AgencyError) throw error
    return notRun(error as NodeJS.ErrnoException, durationMs())
  }
  const output = collectOutput(inside.child, maxOutputBytes, searchFor)
  let timedOut = false
  const end = (): void => {
    inside.signal('SIGTERM')
    clock.after(graceMs, () => !inside.hasExited() && inside.signal('SIGKILL'))
  }
  const cancelTimeout = clock.after(timeoutMs, () => {
    timedOut = true
    end()
  })
  stop?.addEventListener('abort', end)
  if (stop?.aborted === true) end()
  const { exitCode, signal, isLost } = await inside.exited
  cancelTimeout()
  stop?.removeEventListener('abort', end)
  inside.signal('SIGKILL')
  if (launchId !== null) await killSurvivors([launchId])
  await Promise.race([output.closed, sleep(clock, lingerMs)])
  inside.child.stdout?.destroy()
  const { breach, used } = await inside.leave()
  const { text, sha256, ...more } = output.read()
  const remark = breach === null ? (isLost === true ? lostText : null) : breachText(breach)
  return {
    exitCode,
    // A signal that ended the box is not one that ended the command.
    signal: isLost === true ? null : signal,
    timedOut,
    output: remark === null ? text : `${text}\n${remark}`,
    outputSha256: sha256,
    ...more,
    durationMs: durationMs(),
    boxed: inside.boxed,
    ...(breach === null ? {} : { breach: breachText(breach) }),
    ...(used === null ? {} : { used }),
  }
}

/** The command was not started, or its box ended first: its result says nothing about the work. */
export const isUnknown = ({ exitCode, signal, timedOut }: CommandResult): boolean =>
  exitCode === null && signal === null && !timedOut

const lostText = 'its box ended before the exit of the command was known'

const cleanEnvironment = (home: string, programs: readonly string[]): Record<string, string> => ({
  PATH: [...programs, process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'].join(':'),
  HOME: home,
  LANG: process.env['LANG'] ?? 'C.UTF-8',
})

/** The result of a command that was never started: the workspace is gone, or the system is out of processes. */
const notRun = (error: NodeJS.ErrnoException, durationMs: number): CommandResult => ({
  exitCode: null,
  signal: null,
  timedOut: false,
  output: `could not be started (${error.code ?? error.message})`,
  outputSha256: createHash('sha256').digest('hex'),
  durationMs,
  boxed: false,
})
