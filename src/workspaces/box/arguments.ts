import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { sep } from 'node:path'

import { refusal } from '../../kernel/errors.ts'
import { agencyDirectory, outbox } from '../path.ts'
import type { WorkspacePolicy } from '../port.ts'
import { isInSystem } from './system.ts'

/** The parts of a box that differ from one workspace to another. */
export interface BoxLayout {
  readonly path: string
  readonly home: string
  readonly readable: readonly string[]
  readonly writable?: readonly string[]
  /** A checkout has no directory of Agency's own, and hides the launch id, by which the box is found from outside. */
  readonly isCheckout?: boolean
  readonly limits: WorkspacePolicy['limits']
  /** The directory of its sockets; null: it has no connection to the outside. */
  readonly sockets: string | null
}

/** Created once for all boxes. */
export interface SharedLayout {
  /** `systemArguments()` */
  readonly system: readonly string[]
  /** The directory of the box's own passwd, group and similar files. */
  readonly etcFiles: string
  /** Directories that no box may see, such as the home of the installation. */
  readonly closed: readonly string[]
}

/** The directory of `BoxLayout.sockets` inside the box. */
export const socketsInside = '/run/agency'
/** The directory of `agency` inside the box; appended to the PATH. */
export const programsInside = '/run/bin'

/**
 * Returns the arguments of bubblewrap. Without `--cap-drop ALL` root escapes by remounting. All namespaces are unshared,
 * and only the paths of `/` named here are visible; the mounts of the box itself become read-only at the end, /proc too:
 * a process that is root outside could write to its /proc/sys without any capability, and core_pattern names a program
 * that the kernel runs.
 */
export function boxArguments(layout: BoxLayout, shared: SharedLayout): string[] {
  const { path, home, readable, writable = [], isCheckout = false, limits, sockets } = layout
  const { system, etcFiles } = shared
  const memory = limits.maxMemoryMb * 1024 * 1024
  return [
    ['--unshare-all', '--unshare-user', '--disable-userns', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'],
    ['--new-session', '--die-with-parent', '--hostname', 'box'],
    ['--proc', '/proc', ...hidden.flatMap((name) => masked(name)), '--dev', '/dev'],
    ['--size', String(Math.ceil(memory / 4)), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ['--size', String(Math.ceil(memory / 2)), '--perms', '1777', '--tmpfs', '/tmp'],
    ['--size', String(1024 * 1024), '--tmpfs', '/run'],
    // After these, because Node or Agency may be installed below one of them.
    system,
    ['passwd', 'group', 'hosts', 'nsswitch.conf'].flatMap((name) => [
      '--ro-bind',
      `${etcFiles}/${name}`,
      `/etc/${name}`,
    ]),
    ['--ro-bind', `${etcFiles}/bin`, programsInside],
    readable.flatMap((each) => readOnlyBind(each, shared)),
    [home, path, ...writable].flatMap((each) => ['--bind', each, each]),
    isCheckout ? ['--unsetenv', 'AGENCY_LAUNCH_ID'] : agencyFiles(path),
    sockets === null ? [] : ['--ro-bind', sockets, socketsInside],
    ['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/run', '--remount-ro', '/'],
    ['--chdir', path],
  ].flat()
}

/** Mounts Agency's own files over the agent's directory: a mount point cannot be moved away, nor can anything below it. */
const agencyFiles = (path: string): string[] => [
  '--ro-bind',
  `${path}/${agencyDirectory}`,
  `${path}/${agencyDirectory}`,
  '--bind',
  `${path}/${outbox}`,
  `${path}/${outbox}`,
]

/** Files of /proc that show root the kernel's internals and the memory of all processes. */
const hidden = [
  'kcore',
  'keys',
  'kmsg',
  'kpagecgroup',
  'kpagecount',
  'kpageflags',
  'slabinfo',
  'timer_list',
  'vmallocinfo',
]

const masked = (name: string): string[] =>
  existsSync(`/proc/${name}`) ? ['--ro-bind', '/dev/null', `/proc/${name}`] : []

function readOnlyBind(path: string, { closed }: SharedLayout): string[] {
  if (isInSystem(path) || !existsSync(path)) return []
  const real = realpathSync(path)
  for (const each of [path, real]) {
    const exposed = [...closed, ...neverVisible].find(
      (hiddenPath) => each === hiddenPath || hiddenPath.startsWith(each === sep ? sep : each + sep),
    )
    if (exposed !== undefined)
      throw refusal('invalid_input', `a box cannot show ${path}: it would expose ${exposed}`, {
        hint: 'Name only the files or the directory that is needed.',
      })
  }
  return [...(real === path || isInSystem(real) ? [] : ['--ro-bind', real, real]), '--ro-bind', path, path]
}

const neverVisible = ['/dev', '/etc', '/proc', '/root', '/run', '/sys', '/tmp', '/var/run', homedir()]
