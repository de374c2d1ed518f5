import { statfs } from 'node:fs/promises'
import { isAbsolute } from 'node:path'

import { entryPath } from '../../entries.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { PreparedProcess, ProcessSpec, Workspace, WorkspacePolicy } from '../port.ts'
import { boxArguments, socketsInside, type SharedLayout, programsInside } from './arguments.ts'
import { diskUseOf } from './disk.ts'
import { type BoxSockets, openSockets } from './sockets.ts'
import { writeEtcFiles } from './etc-files.ts'
import { watchLimits } from './limits.ts'
import { memoryOf, processesOf } from './processes.ts'
import { systemArguments } from './system.ts'

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
  const etcFiles = `${parts.directory}/etc`
  await writeEtcFiles(etcFiles)
  const shared: SharedLayout = { system: systemArguments(), etcFiles, closed: [parts.directory, ...parts.closed] }
  return { enter: (workspace) => (spec) => enterBox(parts, shared, workspace, spec) }
}

async function enterBox(
  parts: BoxParts,
  shared: SharedLayout,
  workspace: BoxWorkspace,
  spec: ProcessSpec,
): Promise<PreparedProcess> {
  const { path, home, policy, writable = [], isCheckout = false } = workspace
  const socket = isCheckout ? null : parts.socket
  const sockets = spec.offline === true ? null : await openSockets(socketOptions({ ...parts, socket }, policy, spec))
  try {
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
      shared,
    )
    // A process without connections needs no init to forward them, and starts in half the time without it.
    const started = sockets === null ? spec.command : [...initCommand(sockets, spec), ...spec.command]
    return {
      command: [parts.program, ...box, '--', ...started],
      environment: environmentInside(spec.environment, workspace, sockets),
      directory: path,
      boxed: true,
      hasStatus: sockets !== null && spec.statusFd !== undefined,
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

const initCommand = (sockets: BoxSockets, { statusFd }: ProcessSpec): string[] => [
  process.execPath,
  entryPath('box-init'),
  JSON.stringify({
    statusFd: statusFd ?? null,
    // Node's fetch uses the proxy only with this variable; it doubles the start-up time, so box-init itself does
    // without it.
    environment: sockets.proxyPort === null ? {} : { NODE_USE_ENV_PROXY: '1' },
    sockets: sockets.ports.map(([port, socket]) => [port, `${socketsInside}/${socket}`]),
  }),
]

/**
 * Returns the environment inside: paths outside the box have no meaning there; programs find the proxy by the usual
 * variables.
 */
function environmentInside(
  environment: ProcessSpec['environment'],
  { home, isCheckout = false }: BoxWorkspace,
  sockets: BoxSockets | null,
): Record<string, string> {
  const { AGENCY_HOME: _outside, AGENCY_SOCKET, PATH = '/usr/local/bin:/usr/bin:/bin', ...rest } = environment
  return {
    ...rest,
    PATH: isCheckout ? PATH : `${PATH}:${programsInside}`,
    HOME: home,
    USER: 'agent',
    LOGNAME: 'agent',
    TMPDIR: '/tmp',
    ...(isCheckout ? {} : { AGENCY_BOXED: '1' }),
    ...(AGENCY_SOCKET === undefined || sockets === null ? {} : { AGENCY_SOCKET: `${socketsInside}/agency.sock` }),
    ...proxyVariables(sockets?.proxyPort ?? null),
  }
}

function proxyVariables(port: number | null): Record<string, string> {
  if (port === null) return {}
  const address = `http://127.0.0.1:${port}`
  const direct = 'localhost,127.0.0.1,::1'
  const upper = { HTTP_PROXY: address, HTTPS_PROXY: address, ALL_PROXY: address, NO_PROXY: direct }
  const lower = Object.fromEntries(Object.entries(upper).map(([name, value]) => [name.toLowerCase(), value]))
  return { ...upper, ...lower }
}

/**
 * Signals the processes in a box. A signal other than SIGKILL goes to init in the box, which forwards it; bubblewrap
 * itself would drop it.
 */
function signalInside(pid: number, signal: NodeJS.Signals): void {
  const { first, init, others } = processesOf(pid)
  if (signal === 'SIGKILL') return void [first, pid].map((each) => kill(each, 'SIGKILL'))
  const receivers = init === null ? others : [init]
  // No process runs in the box yet.
  if (receivers.length === 0) kill(pid, signal)
  for (const each of receivers) kill(each, signal)
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
        measure: () => measureBox(pid),
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

async function measureBox(pid: number): Promise<{ processes: number; memoryMb: number } | null> {
  const { first, init, others } = processesOf(pid)
  if (first === null) return null
  // The box is still being created: its root is the machine's own, so its /tmp would be measured.
  if (init === null && others.length === 0) return { processes: 0, memoryMb: 0 }
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
