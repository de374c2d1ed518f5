import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

import type { WorkspacePolicy } from '../port.ts'
import { type GroupFiles, groupFiles, type GroupLimits } from './cgroup-files.ts'
import { enteringArguments, findGroups } from './cgroups.ts'

type Limits = WorkspacePolicy['limits']

/** The way in which this machine enforces limits; `samples`: they are only measured. */
export type Enforcement = 'cgroup1' | 'cgroup2' | 'systemd' | 'samples'

export interface Confiner {
  readonly enforcement: Enforcement
  confine(limits: Limits, own: OwnUse): Confinement
}

/** Limits that hold for one launch. */
export interface Confinement {
  /** Returns the command that starts another one within the limits, in the same process. */
  wrap(command: readonly [string, ...string[]]): [string, ...string[]]
  /** Variables that `wrap` needs. */
  readonly environment: Readonly<Record<string, string>>
  /** Returns the figures of the kernel for a started process, or null if it has none yet; null: nothing is enforced. */
  readonly figures: ((pid: number) => GroupFiles | null) | null
  /** Called once all processes have exited. */
  leave(): Promise<void>
}

/** The use of Agency's own processes in a box, which is not the command's. */
export interface OwnUse {
  readonly processes: number
  readonly memoryMb: number
  readonly tasks: number
}

/** Bubblewrap and init; the forwarder is a Node process. */
export const ownUse = (hasForwarder: boolean): OwnUse =>
  hasForwarder ? { processes: 3, memoryMb: 96, tasks: 40 } : { processes: 2, memoryMb: 16, tasks: 8 }

/**
 * Returns the number of processes and threads at which the kernel refuses another one. It counts both alike, and a
 * process of Node has a dozen threads, others one or more for each processor.
 */
export const maxTasksOf = ({ maxProcesses }: Pick<Limits, 'maxProcesses'>): number =>
  4 * maxProcesses + 32 * Math.max(4, availableParallelism())

/** Finds the strongest enforcement that works here, by trying it. */
export async function createConfiner(home: string, environment = process.env): Promise<Confiner> {
  const groups = await findGroups(home)
  if (groups !== null) {
    await groups.removeLeft()
    return {
      enforcement: groups.version === 1 ? 'cgroup1' : 'cgroup2',
      confine: (limits, own) => {
        const group = groups.create(groupLimitsOf(limits, own))
        return {
          wrap: (command) => prelude(limits, enteringArguments(group.entrances, command)),
          environment: {},
          figures: () => group,
          leave: group.remove,
        }
      },
    }
  }
  const session = systemdSession(environment)
  if (session !== null)
    return { enforcement: 'systemd', confine: (limits, own) => confineByScope(session, limits, own) }
  return {
    enforcement: 'samples',
    confine: (limits) => ({
      wrap: (command) => prelude(limits, enteringArguments([], command)),
      environment: {},
      figures: null,
      leave: async () => {},
    }),
  }
}

const groupLimitsOf = ({ maxMemoryMb, ...limits }: Limits, own: OwnUse): GroupLimits => ({
  memoryMb: maxMemoryMb + own.memoryMb,
  tasks: maxTasksOf(limits) + own.tasks,
})

/**
 * Starts a command with the limits that every process can set for itself: it leaves no memory dumps, writes no file
 * larger than its disk limit, and is the first that the kernel kills if the memory of the machine is used up.
 */
function prelude({ maxDiskMb }: Limits, [option, script, ...rest]: readonly string[]): [string, ...string[]] {
  const blocks = (maxDiskMb + 1) * 2_048
  const own = `{ echo 1000 >/proc/self/oom_score_adj; ulimit -c 0; ulimit -f ${blocks}; } 2>/dev/null`
  return ['/bin/sh', option as string, `${own}; ${script}`, ...rest]
}

type Session = Readonly<Record<string, string>>

/** Returns the variables by which the service manager of this user is found, if it can limit processes. */
function systemdSession(environment: Readonly<Record<string, string | undefined>>): Session | null {
  const directory = environment['XDG_RUNTIME_DIR']
  if (directory === undefined || !existsSync(join(directory, 'systemd/private'))) return null
  const bus = environment['DBUS_SESSION_BUS_ADDRESS']
  const session = { XDG_RUNTIME_DIR: directory, ...(bus === undefined ? {} : { DBUS_SESSION_BUS_ADDRESS: bus }) }
  const [program, ...args] = scopeCommand('agency-trial', { memoryMb: 64, tasks: 64 }, ['/bin/true'])
  try {
    execFileSync(program, args, { env: session, stdio: 'ignore', timeout: 5_000 })
    return session
  } catch {
    return null
  }
}

function confineByScope(session: Session, limits: Limits, own: OwnUse): Confinement {
  const unit = `agency-${randomBytes(8).toString('hex')}`
  return {
    wrap: (command) => scopeCommand(unit, groupLimitsOf(limits, own), prelude(limits, enteringArguments([], command))),
    environment: session,
    figures: (pid) => {
      const path = scopePathIn(readGroup(pid), unit)
      return path === null ? null : groupFiles(2, join('/sys/fs/cgroup', path), join('/sys/fs/cgroup', path))
    },
    // The service manager removes an empty scope.
    leave: async () => {},
  }
}

/** Returns the command that asks the user's service manager for a scope with limits, and then becomes another command. */
export const scopeCommand = (
  unit: string,
  { memoryMb, tasks }: GroupLimits,
  command: readonly string[],
): [string, ...string[]] => [
  'systemd-run',
  '--user',
  '--scope',
  '--quiet',
  '--collect',
  `--unit=${unit}`,
  `--property=MemoryMax=${memoryMb}M`,
  '--property=MemorySwapMax=0',
  `--property=TasksMax=${tasks}`,
  '--',
  ...command,
]

/** Returns the path of a scope in the text of /proc/PID/cgroup; null: the process has not entered it yet. */
export function scopePathIn(text: string, unit: string): string | null {
  const path = /^0::(.*)$/m.exec(text)?.[1] ?? ''
  return path.endsWith(`/${unit}.scope`) ? path : null
}

function readGroup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8')
  } catch {
    return ''
  }
}
