import { randomBytes } from 'node:crypto'
import { statfs, writeFile } from 'node:fs/promises'
import { isAbsolute } from 'node:path'

import { initPath } from '../../entries.ts'
import type { Clock } from '../../kernel/clock.ts'
import { launchEnvironment, launchIdIn, launchIdVariables } from '../../processes/launch-id.ts'
import type { PreparedProcess, ProcessSpec, Workspace, WorkspacePolicy } from '../port.ts'
import { boxArguments, insideOf, pathInside, programsInside, type SharedLayout } from './arguments.ts'
import { diskUseOf } from './disk.ts'
import { type BoxSockets, openSockets } from './sockets.ts'
import { writeEtcFiles } from './etc-files.ts'
import { filterProgram, type Machine, machineHere } from './filter.ts'
import { watchLimits } from './limits.ts'
import { planOf } from './plan.ts'
import { memoryOf, processesOf } from './processes.ts'
import { findPerl, systemArguments } from './system.ts'

export interface BoxParts {
  /** Bubblewrap, as `detectBox` found it. */
  readonly program: string
  /** Holds sockets, so its path is short; other users may not enter it. */
  readonly directory: string
  /** The daemon's own socket; null: processes in a box cannot reach the daemon. */
  readonly socket: string | null
  /** Readable in every box, in addition to the machine's programs. */
  readonly readable?: readonly string[]
  /** Directories that no box may see: the home of the installation. */
  readonly closed: readonly string[]
  readonly clock: Clock
  readonly refused?: (host: string, why: string) => void
}

/** The properties of a workspace that its box needs. */
export interface BoxWorkspace {
  readonly path: string
  readonly home: string
  /** Further readable directories: the mirror whose objects a clone shares. */
  readonly readable?: readonly string[]
  /** Further writable directories. */
  readonly writable?: readonly string[]
  /**
   * A checkout has neither Agency's own directory nor a connection to the daemon, and its environment does not show that
   * Agency runs the command.
   */
  readonly isCheckout?: boolean
  readonly policy: WorkspacePolicy
}

export interface Box {
  enter(workspace: BoxWorkspace): Workspace['enter']
}

/**
 * Runs processes in a box of bubblewrap: only their workspace is writable, and every connection passes through a socket
 * of the daemon.
 */
export async function createBox(parts: BoxParts): Promise<Box> {
  const [machine, perl] = [machineHere(), findPerl()]
  if (machine === null || perl === null) throw new Error('detectBox finds no box here')
  const etcFiles = `${parts.directory}/etc`
  const filter = `${etcFiles}/filter`
  await writeEtcFiles(etcFiles)
  await writeFile(filter, filterProgram(machine))
  const shared: Shared = {
    layout: {
      system: [...systemArguments(), '--ro-bind', initPath(), initInside],
      etcFiles,
      closed: [parts.directory, ...parts.closed],
    },
    machine,
    init: [perl, '-f', initInside],
    filter,
  }
  return { enter: (workspace) => (spec) => enterBox(parts, shared, workspace, spec) }
}

/** The command can read the arguments of init: they must not tell who runs it. */
const initInside = '/run/init'

/** Created once for all boxes. */
interface Shared {
  readonly layout: SharedLayout
  readonly machine: Machine
  /** The command of init. */
  readonly init: readonly string[]
  /** The file with the filter of system calls. */
  readonly filter: string
}

async function enterBox(
  parts: BoxParts,
  shared: Shared,
  workspace: BoxWorkspace,
  spec: ProcessSpec,
): Promise<PreparedProcess> {
  const { path, home, policy, writable = [], isCheckout = false } = workspace
  const socket = isCheckout ? null : parts.socket
  const sockets = spec.offline === true ? null : await openSockets(socketOptions({ ...parts, socket }, policy, spec))
  try {
    const inside = insideOf(workspace)
    const box = boxArguments(
      {
        path,
        home,
        readable: readableOf(parts, workspace, spec),
        writable,
        isCheckout,
        limits: policy.limits,
        sockets: sockets?.directory ?? null,
      },
      shared.layout,
    )
    const launchId = launchIdIn(spec.environment)
    const secret = randomBytes(16).toString('hex')
    const plan = planOf({
      machine: shared.machine,
      secret,
      ports: (sockets?.ports ?? []).map(([port, socket]) => `${port} ${inside.sockets}/${socket}`),
      environment: environmentInside(spec.environment, workspace, sockets),
      command: spec.command,
    })
    return {
      command: [parts.program, ...box, '--', ...shared.init],
      // The environment of the command is no concern of bubblewrap and init: LD_PRELOAD would load code into them.
      environment: launchId === null ? {} : launchEnvironment(launchId),
      directory: path,
      boxed: true,
      init: { plan, secret, filter: shared.filter },
      signal: signalInside,
      ...watchBox(parts.clock, workspace, sockets),
    }
  } catch (error) {
    await sockets?.close()
    throw error
  }
}

const socketOptions = (
  { directory, socket, refused }: BoxParts,
  { network }: WorkspacePolicy,
  { forwards }: ProcessSpec,
) => ({
  boxes: directory,
  socket,
  network,
  forwards: forwards ?? [],
  ...(refused === undefined ? {} : { refused }),
})

/** Makes a program that is named by its absolute path readable, so that it can be run. */
const readableOf = (
  parts: BoxParts,
  workspace: BoxWorkspace,
  { command: [program], readable = [] }: ProcessSpec,
): string[] => [
  ...(parts.readable ?? []),
  ...(workspace.readable ?? []),
  ...readable,
  ...(isAbsolute(program) && !program.startsWith(`${workspace.path}/`) ? [program] : []),
]

/**
 * Returns the environment inside: paths outside the box have no meaning there; programs find the proxy by the usual
 * variables.
 */
function environmentInside(
  environment: ProcessSpec['environment'],
  workspace: BoxWorkspace,
  sockets: BoxSockets | null,
): Record<string, string> {
  const { isCheckout = false } = workspace
  const inside = insideOf(workspace)
  const { AGENCY_HOME: _outside, AGENCY_SOCKET, PATH = defaultPath, ...others } = environment
  const isShown = (name: string): boolean => !isCheckout || !(launchIdVariables as readonly string[]).includes(name)
  const translate = (value: string): string =>
    value
      .split(':')
      .map((each) => pathInside(each, workspace))
      .join(':')
  const rest = Object.entries(others).flatMap(([name, value]) => (isShown(name) ? [[name, translate(value)]] : []))
  return {
    ...(Object.fromEntries(rest) as Record<string, string>),
    PATH: translate(isCheckout ? PATH : `${PATH}:${programsInside}`),
    HOME: inside.home,
    USER: 'agent',
    LOGNAME: 'agent',
    // The question for a newer npm costs seconds, and its answer would be the last lines of every output.
    NO_UPDATE_NOTIFIER: '1',
    npm_config_update_notifier: 'false',
    TMPDIR: '/tmp',
    ...(isCheckout ? {} : { AGENCY_BOXED: '1' }),
    ...(AGENCY_SOCKET === undefined || sockets === null ? {} : { AGENCY_SOCKET: `${inside.sockets}/agency.sock` }),
    ...proxyVariables(sockets?.proxyPort ?? null),
  }
}

const defaultPath = '/usr/local/bin:/usr/bin:/bin'

function proxyVariables(port: number | null): Record<string, string> {
  if (port === null) return {}
  const address = `http://127.0.0.1:${port}`
  const direct = 'localhost,127.0.0.1,::1'
  const upper = { HTTP_PROXY: address, HTTPS_PROXY: address, ALL_PROXY: address, NO_PROXY: direct }
  const lower = Object.fromEntries(Object.entries(upper).map(([name, value]) => [name.toLowerCase(), value]))
  // Node's fetch uses the proxy only with the last one.
  return { ...upper, ...lower, NODE_USE_ENV_PROXY: '1' }
}

/**
 * Signals the processes in a box. A signal other than SIGKILL goes to init, which passes it on to the command and its
 * group; bubblewrap itself would drop it.
 */
function signalInside(pid: number, signal: NodeJS.Signals): void {
  const { first } = processesOf(pid)
  if (signal === 'SIGKILL') return void [first, pid].map((each) => kill(each, 'SIGKILL'))
  kill(first ?? pid, signal)
}

function watchBox(
  clock: Clock,
  workspace: BoxWorkspace,
  sockets: BoxSockets | null,
): Pick<PreparedProcess, 'watch' | 'leave'> {
  let watch: ReturnType<typeof watchLimits> | null = null
  const directories = [workspace.path, workspace.home, ...(workspace.writable ?? [])]
  return {
    watch: (pid, breached) => {
      watch ??= watchLimits({
        clock,
        limits: workspace.policy.limits,
        measure: () => measureBox(pid, (sockets?.ports ?? []).length > 0),
        measureDisk: () => diskUseOf(directories),
        freeMb: () => freeMbOf(workspace.path),
        exceeded: (breach) => {
          signalInside(pid, 'SIGKILL')
          breached(breach)
        },
      })
    },
    leave: async () => {
      await sockets?.close()
      return (await watch?.stop()) ?? null
    },
  }
}

async function measureBox(pid: number, hasForwarder: boolean): Promise<{ processes: number; memoryMb: number } | null> {
  const { first, others } = processesOf(pid, hasForwarder)
  if (first === null) return null
  // The box is still being created: its root is the machine's own, so its /tmp would be measured.
  if (others.length === 0) return { processes: 0, memoryMb: 0 }
  // Files in /tmp and /dev/shm of a box are in memory too.
  const held = await Promise.all(['tmp', 'dev/shm'].map((name) => heldMbOf(`/proc/${first}/root/${name}`)))
  return { processes: others.length, memoryMb: memoryOf(others) + held.reduce((sum, each) => sum + each, 0) }
}

async function heldMbOf(path: string): Promise<number> {
  const stats = await statfs(path).catch(() => null)
  return stats === null ? 0 : ((stats.blocks - stats.bfree) * stats.bsize) / (1024 * 1024)
}

async function freeMbOf(path: string): Promise<number> {
  const stats = await statfs(path).catch(() => null)
  return stats === null ? Infinity : (stats.bavail * stats.bsize) / (1024 * 1024)
}

function kill(pid: number | null, signal: NodeJS.Signals): void {
  if (pid === null) return
  try {
    process.kill(pid, signal)
  } catch {
    // It has exited.
  }
}
