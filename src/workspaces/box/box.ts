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
  /** For sockets, so its name is short; nobody else may enter it. */
  readonly directory: string
  /** The daemon's own socket; null: what is in a box cannot speak with us. */
  readonly socket: string | null
  /** Beside the machine's programs, for every box. */
  readonly readable?: readonly string[]
  /** What no box may show: the home of the installation. */
  readonly closed: readonly string[]
  readonly clock: Clock
  readonly refused?: (host: string, why: string) => void
}

/** A workspace, as far as a box is concerned. */
export interface Room {
  readonly path: string
  readonly home: string
  /** Further directories to be seen from it: the mirror whose objects a clone shares. */
  readonly readable?: readonly string[]
  readonly policy: WorkspacePolicy
}

export interface Box {
  enter(room: Room): Workspace['enter']
}

/** Puts processes into bubblewrap's box: only their workspace is writable, and every way out is one of ours. */
export async function createBox(parts: BoxParts): Promise<Box> {
  const furniture = `${parts.directory}/furniture`
  await writeEtcFiles(furniture)
  const ground: SharedLayout = { system: systemArguments(), furniture, closed: [parts.directory, ...parts.closed] }
  return { enter: (room) => (entry) => enterBox(parts, ground, room, entry) }
}

async function enterBox(
  parts: BoxParts,
  ground: SharedLayout,
  room: Room,
  entry: ProcessSpec,
): Promise<PreparedProcess> {
  const { path, home, policy } = room
  const doors = entry.offline === true ? null : await openSockets(doorsOf(parts, policy, entry))
  try {
    const walls = boxArguments(
      { path, home, readable: readableOf(parts, room, entry), limits: policy.limits, doors: doors?.directory ?? null },
      ground,
    )
    // What speaks with nobody needs nobody to lead it out, and starts in half the time without.
    const started = doors === null ? entry.command : [...initCommand(doors, entry), ...entry.command]
    return {
      command: [parts.program, ...walls, '--', ...started],
      environment: environmentInside(entry.environment, home, doors),
      directory: path,
      boxed: true,
      hasStatus: doors !== null && entry.statusFd !== undefined,
      signal: signalInside,
      ...watching(parts.clock, room, doors),
    }
  } catch (error) {
    await doors?.close()
    throw error
  }
}

const doorsOf = (
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

/** Whoever names a program by its whole path means it to be run. */
const readableOf = (parts: BoxParts, room: Room, { command: [program], readable = [] }: ProcessSpec): string[] => [
  ...(parts.readable ?? []),
  ...(room.readable ?? []),
  ...readable,
  ...(isAbsolute(program) && !program.startsWith(`${room.path}/`) ? [program] : []),
]

const initCommand = (doors: BoxSockets, { statusFd }: ProcessSpec): string[] => [
  process.execPath,
  entryPath('box-init'),
  JSON.stringify({
    statusFd: statusFd ?? null,
    // Node's own fetch looks at the proxy only when it is asked to; asking doubles its start, so box-init is not.
    environment: doors.proxyPort === null ? {} : { NODE_USE_ENV_PROXY: '1' },
    doors: doors.ports.map(([port, socket]) => [port, `${socketsInside}/${socket}`]),
  }),
]

/** Names of places outside mean nothing inside; programs find the proxy by the variables that they know. */
function environmentInside(
  given: ProcessSpec['environment'],
  home: string,
  doors: BoxSockets | null,
): Record<string, string> {
  const { AGENCY_HOME: _outside, AGENCY_SOCKET, PATH = '/usr/local/bin:/usr/bin:/bin', ...rest } = given
  return {
    ...rest,
    PATH: `${PATH}:${programsInside}`,
    HOME: home,
    USER: 'agent',
    LOGNAME: 'agent',
    TMPDIR: '/tmp',
    AGENCY_BOXED: '1',
    ...(AGENCY_SOCKET === undefined || doors === null ? {} : { AGENCY_SOCKET: `${socketsInside}/agency.sock` }),
    ...proxyVariables(doors?.proxyPort ?? null),
  }
}

function proxyVariables(port: number | null): Record<string, string> {
  if (port === null) return {}
  const address = `http://127.0.0.1:${port}`
  const nobody = 'localhost,127.0.0.1,::1'
  const upper = { HTTP_PROXY: address, HTTPS_PROXY: address, ALL_PROXY: address, NO_PROXY: nobody }
  const lower = Object.fromEntries(Object.entries(upper).map(([name, value]) => [name.toLowerCase(), value]))
  return { ...upper, ...lower }
}

/** A polite signal goes to our own process in the box, which hands it on; bubblewrap itself would drop everything. */
function signalInside(pid: number, signal: NodeJS.Signals): void {
  const { first, init, others } = processesOf(pid)
  if (signal === 'SIGKILL') return void [first, pid].map((each) => kill(each, 'SIGKILL'))
  const receivers = init === null ? others : [init]
  // Nobody there yet.
  if (receivers.length === 0) kill(pid, signal)
  for (const each of receivers) kill(each, signal)
}

function watching(clock: Clock, room: Room, doors: BoxSockets | null): Pick<PreparedProcess, 'watch' | 'leave'> {
  let watch: ReturnType<typeof watchLimits> | null = null
  const directories = [room.path, room.home]
  return {
    watch: (pid, breached) => {
      watch ??= watchLimits({
        clock,
        limits: room.policy.limits,
        look: () => lookInto(pid),
        lookAtDisk: () => diskUseOf(directories),
        freeMb: () => freeMbOf(room.path),
        exceeded: (breach) => {
          signalInside(pid, 'SIGKILL')
          breached(breach)
        },
      })
    },
    leave: async () => {
      await doors?.close()
      return (await watch?.stop()) ?? null
    },
  }
}

async function lookInto(pid: number): Promise<{ processes: number; memoryMb: number } | null> {
  const { first, init, others } = processesOf(pid)
  if (first === null) return null
  // Still being made: its root is the machine's own, and so would be what is held in /tmp.
  if (init === null && others.length === 0) return { processes: 0, memoryMb: 0 }
  // Files in /tmp and /dev/shm of a box are memory too.
  const held = await Promise.all(['tmp', 'dev/shm'].map((name) => heldMbOf(`/proc/${first}/root/${name}`)))
  return { processes: others.length, memoryMb: memoryOf(others) + held.reduce((sum, each) => sum + each, 0) }
}

async function heldMbOf(path: string): Promise<number> {
  const found = await statfs(path).catch(() => null)
  return found === null ? 0 : ((found.blocks - found.bfree) * found.bsize) / (1024 * 1024)
}

async function freeMbOf(path: string): Promise<number> {
  const found = await statfs(path).catch(() => null)
  return found === null ? Infinity : (found.bavail * found.bsize) / (1024 * 1024)
}

function kill(pid: number | null, signal: NodeJS.Signals): void {
  if (pid === null) return
  try {
    process.kill(pid, signal)
  } catch {
    // It is gone.
  }
}
