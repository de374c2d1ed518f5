import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { isAbsolute } from 'node:path'

import { initPath } from '../../entries.ts'
import type { Clock } from '../../kernel/clock.ts'
import { launchEnvironment, launchIdIn, launchIdVariables } from '../../processes/launch-id.ts'
import type { Guarded } from '../guarded.ts'
import type { PreparedProcess, ProcessSpec, Workspace, WorkspacePolicy } from '../port.ts'
import { boxArguments, hiddenPaths, insideOf, pathInside, programsInside, type SharedLayout } from './arguments.ts'
import { type Confinement, type Confiner, createConfiner, maxTasksOf, ownUse } from './confine.ts'
import { type BoxSockets, openSockets } from './sockets.ts'
import { writeEtcFiles } from './etc-files.ts'
import type { Machine } from './call-numbers.ts'
import { filterProgram, machineHere } from './filter.ts'
import { type LimitWatch, watchLimits } from './limits.ts'
import { freeOf, measureBox, measureBoxDisk } from './measure.ts'
import { planOf } from './plan.ts'
import { processesOf, whileStopped } from './processes.ts'
import { createProxyProcess, type ProxyProcess } from './proxy/process.ts'
import { findPerl, systemArguments } from './system.ts'
import { maxFilesOf } from './watch-disk.ts'

export interface BoxParts {
  /** Bubblewrap, as `detectBox` found it. */
  readonly program: string
  /** Holds sockets, so its path is short; other users may not enter it. */
  readonly directory: string
  /**
   * Returns what serves the connections of a box to the daemon, for an agent with this token; null: no box can reach the
   * daemon.
   */
  readonly connect: ((token: string) => (connection: Socket) => void) | null
  /** Readable in every box, in addition to the machine's programs. */
  readonly readable?: readonly string[]
  /** Directories that no box may see: the home of the installation. */
  readonly closed: readonly string[]
  readonly clock: Clock
  readonly refused?: (host: string, why: string) => void
  /** Called with the reason when the process of the proxies has ended; it starts again. */
  readonly proxyEnded?: (reason: string) => void
}

/** The properties of a workspace that its box needs. */
export interface BoxWorkspace {
  readonly path: string
  readonly home: string
  /** Further paths that the operator has chosen to show. */
  readonly readable?: readonly string[]
  /** Readable directories of the installation itself: the objects of a mirror, which a clone shares. */
  readonly own?: readonly string[]
  /** Further writable directories. */
  readonly writable?: readonly string[]
  /** See `BoxLayout.guarded`. */
  readonly guarded?: readonly Guarded[] | undefined
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
    confiner: await createConfiner(parts.directory),
    proxy: createProxyProcess({
      clock: parts.clock,
      ...(parts.proxyEnded === undefined ? {} : { ended: parts.proxyEnded }),
    }),
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
  readonly confiner: Confiner
  readonly proxy: ProxyProcess
}

async function enterBox(
  parts: BoxParts,
  shared: Shared,
  workspace: BoxWorkspace,
  spec: ProcessSpec,
): Promise<PreparedProcess> {
  const { path, home, policy, writable = [], isCheckout = false } = workspace
  const { AGENCY_TOKEN: token } = spec.environment
  const connect = isCheckout || token === undefined || parts.connect === null ? null : parts.connect(token)
  const sockets =
    spec.offline === true
      ? null
      : await openSockets({ ...socketOptions(parts, connect, policy, spec), proxy: shared.proxy })
  try {
    const inside = insideOf(workspace)
    const box = boxArguments(
      {
        path,
        home,
        program: programOutside(workspace, spec),
        // The configuration may name paths of other machines too.
        readable: [...(parts.readable ?? []).filter((each) => existsSync(each)), ...(workspace.readable ?? [])],
        own: workspace.own ?? [],
        writable,
        ...(workspace.guarded === undefined ? {} : { guarded: workspace.guarded }),
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
      maxTasks: maxTasksOf(policy.limits) + ownUse(hasPorts(sockets)).tasks,
      ports: (sockets?.ports ?? []).map(([port, socket]) => `${port} ${inside.sockets}/${socket}`),
      environment: environmentInside(spec.environment, workspace, sockets),
      command: spec.command,
    })
    const confinement = shared.confiner.confine(policy.limits, ownUse(hasPorts(sockets)))
    return {
      command: confinement.wrap([parts.program, ...box, '--', ...shared.init]),
      // The environment of the command is no concern of bubblewrap and init: LD_PRELOAD would load code into them.
      environment: { ...confinement.environment, ...(launchId === null ? {} : launchEnvironment(launchId)) },
      directory: path,
      boxed: true,
      hidden: hiddenPaths(spec.command, box),
      init: { plan, secret, filter: shared.filter },
      signal: signalInside,
      ...watchBox(parts.clock, workspace, sockets, confinement),
    }
  } catch (error) {
    await sockets?.close()
    throw error
  }
}

const socketOptions = (
  { directory, refused }: BoxParts,
  connect: ((connection: Socket) => void) | null,
  { network }: WorkspacePolicy,
  { forwards }: ProcessSpec,
) => ({
  boxes: directory,
  connect,
  network,
  forwards: forwards ?? [],
  ...(refused === undefined ? {} : { refused }),
})

/** Returns a program that is named by its absolute path; below the workspace and its HOME everything is shown anyway. */
const programOutside = ({ path, home }: BoxWorkspace, { command: [program] }: ProcessSpec): string | null =>
  isAbsolute(program) && ![path, home].some((each) => program.startsWith(`${each}/`)) ? program : null

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

const hasPorts = (sockets: BoxSockets | null): boolean => (sockets?.ports ?? []).length > 0

function watchBox(
  clock: Clock,
  workspace: BoxWorkspace,
  sockets: BoxSockets | null,
  confinement: Confinement,
): Pick<PreparedProcess, 'watch' | 'settle' | 'leave'> {
  let watch: LimitWatch | null = null
  const directories = [workspace.path, workspace.home, ...(workspace.writable ?? [])]
  const hasForwarder = hasPorts(sockets)
  const { figures } = confinement
  const maxDescriptors = maxFilesOf(workspace.policy.limits.maxDiskMb)
  return {
    watch: (pid, breached) => {
      watch ??= watchLimits({
        clock,
        limits: workspace.policy.limits,
        measure: () => measureBox(pid, { hasForwarder, isCounted: figures !== null, maxDescriptors }),
        measureDisk: (maxFiles) => measureBoxDisk(pid, directories, maxFiles),
        free: () => freeOf(workspace.path),
        hold: (look) => whileStopped(pid, look),
        ...(figures === null ? {} : { kernel: { figures: () => figures(pid), own: ownUse(hasForwarder) } }),
        kill: () => signalInside(pid, 'SIGKILL'),
        exceeded: breached,
      })
    },
    settle: () => watch?.settle(),
    leave: async () => {
      await sockets?.close()
      const used = (await watch?.stop()) ?? null
      await confinement.leave()
      return used
    },
  }
}

function kill(pid: number | null, signal: NodeJS.Signals): void {
  if (pid === null) return
  try {
    process.kill(pid, signal)
  } catch {
    // It has exited.
  }
}
