import { existsSync } from 'node:fs'
import { isAbsolute, resolve, sep } from 'node:path'

import { launchIdVariables } from '../../processes/launch-id.ts'
import { agencyGuarded, type Guarded, guardedMounts } from '../guarded.ts'
import type { WorkspacePolicy } from '../port.ts'
import { masksOf } from './masks.ts'
import { programBind, readOnlyBind } from './readable-paths.ts'

/** The parts of a box that differ from one workspace to another. */
export interface BoxLayout {
  readonly path: string
  readonly home: string
  /** The program to start, if it is named by a path outside the workspace. */
  readonly program?: string | null
  /** Further paths that the operator has chosen to show. */
  readonly readable: readonly string[]
  /** Directories of the installation itself, such as the mirror whose objects a clone shares. */
  readonly own?: readonly string[]
  readonly writable?: readonly string[]
  /** Directories in it that its processes cannot change; by default Agency's own. */
  readonly guarded?: readonly Guarded[]
  /** A checkout has no directory of Agency's own, and hides the launch id, by which the box is found from outside. */
  readonly isCheckout?: boolean
  readonly limits: WorkspacePolicy['limits']
  /** The directory of its sockets; null: it has no connection to the outside. */
  readonly sockets: string | null
}

/** The paths of the directory, the HOME and the sockets in a box. */
export interface Inside {
  readonly path: string
  readonly home: string
  readonly sockets: string
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

/** The file descriptors of bubblewrap: the socket between the daemon and init, and the filter of system calls. */
export const initFd = 3
export const filterFd = 4
/** The directory of `BoxLayout.sockets` inside the box of an agent. */
const socketsInside = '/run/agency'
/** The directory of `agency` inside the box; appended to the PATH. */
export const programsInside = '/run/bin'

/**
 * Returns the arguments of bubblewrap. Without `--cap-drop ALL` root escapes by remounting. All namespaces are unshared,
 * and only the paths of `/` named here are visible; the mounts of the box itself become read-only at the end, /proc too:
 * a process that is root outside could write to its /proc/sys without any capability, and core_pattern names a program
 * that the kernel runs. Only init keeps capabilities, harmless ones: a process cannot trace one that has more than itself,
 * and with CAP_SETPCAP init takes both away from the command for good.
 */
export function boxArguments(layout: BoxLayout, shared: SharedLayout): string[] {
  const { path, home, program = null, readable, own = [], guarded = agencyGuarded } = layout
  const { writable = [], isCheckout = false, limits, sockets } = layout
  const inside = insideOf(layout)
  const { system, etcFiles, closed } = shared
  const memory = limits.maxMemoryMb * 1024 * 1024
  const further = [
    ...readable.flatMap((each) => readOnlyBind(each, closed)),
    ...(program === null ? [] : programBind(program, closed)),
  ]
  const masks = masksOf([...system, ...further], closed)
  return [
    ['--unshare-all', '--unshare-user', '--disable-userns', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'],
    ['--as-pid-1', '--cap-add', 'CAP_WAKE_ALARM', '--cap-add', 'CAP_SETPCAP', '--seccomp', String(filterFd)],
    ['--new-session', '--die-with-parent', '--hostname', hostname],
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
    isCheckout ? [] : ['--ro-bind', `${etcFiles}/bin`, programsInside],
    further,
    masks.mounts,
    own.flatMap((each) => ['--ro-bind', each, each]),
    ['--bind', home, inside.home, '--bind', path, inside.path],
    writable.flatMap((each) => ['--bind', each, pathInside(each, layout)]),
    isCheckout ? launchIdVariables.flatMap((name) => ['--unsetenv', name]) : guardedMounts(path, guarded),
    sockets === null ? [] : ['--ro-bind', sockets, inside.sockets],
    ['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/run', ...masks.seals, '--remount-ro', '/'],
    ['--chdir', inside.path],
  ].flat()
}

/**
 * Returns the paths in a box. Those of an agent are the same as outside. A checkout is at the same ordinary path in every
 * box: code that is checked cannot tell by it that a check runs, and files that name their own path, such as programs of
 * a virtual environment, can be used in the next checkout.
 */
export const insideOf = ({ path, home, isCheckout = false }: Placed): Inside =>
  isCheckout
    ? { path: neutralPath, home: '/home/agent', sockets: '/run/proxy' }
    : { path, home, sockets: socketsInside }

type Placed = Pick<BoxLayout, 'path' | 'home' | 'isCheckout'>

/** The first of these directories that this machine does not have, because programs may be installed below it. */
const neutralPath = ['/work', '/workspace', '/srv/work'].find((path) => !existsSync(path)) ?? '/mnt/work'

/** Returns the path in the box of a path outside: those below the directory and its HOME have moved with them. */
export function pathInside(path: string, placed: Placed): string {
  const inside = insideOf(placed)
  for (const [from, to] of [
    [placed.path, inside.path],
    [placed.home, inside.home],
  ] as const)
    if (path === from || path.startsWith(from + sep)) return to + path.slice(from.length)
  return path
}

/** Every machine has this name. */
const hostname = 'localhost'

/** Files of /proc that show root the kernel's internals and the memory of all processes. */
const hidden = [
  'allocinfo',
  'kcore',
  'keys',
  'kmsg',
  'kpagecgroup',
  'kpagecount',
  'kpageflags',
  'pagetypeinfo',
  'slabinfo',
  'timer_list',
  'vmallocinfo',
]

const masked = (name: string): string[] =>
  existsSync(`/proc/${name}`) ? ['--ro-bind', '/dev/null', `/proc/${name}`] : []

/** Returns the words of a command that name files of this machine which its box does not show. */
export function hiddenPaths(words: readonly string[], box: readonly string[]): string[] {
  const places = box.flatMap((word, at) => {
    const place = placedBy[word]
    return place === undefined ? [] : [{ path: box[at + place.position] as string, isOfMachine: place.isOfMachine }]
  })
  const isShown = (path: string): boolean =>
    places
      .filter((place) => path === place.path || path.startsWith(place.path + sep))
      .reduce((nearest, place) => (place.path.length >= nearest.path.length ? place : nearest), nowhere).isOfMachine
  return words.filter((word) => isAbsolute(word) && word.length < 4_096 && existsSync(word) && !isShown(resolve(word)))
}

const nowhere = { path: '', isOfMachine: false }

/** The options that place something in a box: the position of its path, and whether it shows the files of this machine. */
const placedBy: Readonly<Record<string, { position: number; isOfMachine: boolean } | undefined>> = {
  '--bind': { position: 2, isOfMachine: true },
  '--ro-bind': { position: 2, isOfMachine: true },
  '--ro-bind-try': { position: 2, isOfMachine: true },
  '--symlink': { position: 2, isOfMachine: true },
  '--dev': { position: 1, isOfMachine: true },
  '--proc': { position: 1, isOfMachine: true },
  '--tmpfs': { position: 1, isOfMachine: false },
}
