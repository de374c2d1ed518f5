import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { sep } from 'node:path'

import { refusal } from '../../kernel/errors.ts'
import { agencyDirectory, outbox } from '../path.ts'
import type { WorkspacePolicy } from '../port.ts'
import { isInSystem } from './system.ts'

/** What a box is made around. */
export interface BoxLayout {
  readonly path: string
  readonly home: string
  readonly readable: readonly string[]
  readonly limits: WorkspacePolicy['limits']
  /** The directory of its sockets; null: it speaks with nobody. */
  readonly doors: string | null
}

/** Made once for all boxes. */
export interface SharedLayout {
  /** `systemArguments()` */
  readonly system: readonly string[]
  /** Where our own passwd, group and the like lie. */
  readonly furniture: string
  /** What nobody may be let into: our own home, for one. */
  readonly closed: readonly string[]
}

/** Where the sockets of `BoxLayout.doors` are, seen from inside. */
export const socketsInside = '/run/agency'
/** Where `agency` itself is, whatever else is on the PATH. */
export const programsInside = '/run/bin'

/**
 * Without `--cap-drop ALL` root gets out by remounting. Everything is taken apart, nothing of `/` is there that is not
 * named here; what was made for the box itself is closed to writing at the end, /proc too: as root on the outside, a
 * process could write to its /proc/sys without any capability, and core_pattern names a program that the kernel runs.
 */
export function boxArguments({ path, home, readable, limits, doors }: BoxLayout, ground: SharedLayout): string[] {
  const { system, furniture } = ground
  const memory = limits.maxMemoryMb * 1024 * 1024
  return [
    ['--unshare-all', '--unshare-user', '--disable-userns', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'],
    ['--new-session', '--die-with-parent', '--hostname', 'box'],
    ['--proc', '/proc', ...hidden.flatMap((name) => covered(name)), '--dev', '/dev'],
    ['--size', String(Math.ceil(memory / 4)), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ['--size', String(Math.ceil(memory / 2)), '--perms', '1777', '--tmpfs', '/tmp'],
    ['--size', String(1024 * 1024), '--tmpfs', '/run'],
    // After these, because Node or Agency may lie below one of them.
    system,
    ['passwd', 'group', 'hosts', 'nsswitch.conf'].flatMap((name) => [
      '--ro-bind',
      `${furniture}/${name}`,
      `/etc/${name}`,
    ]),
    ['--ro-bind', `${furniture}/bin`, programsInside],
    readable.flatMap((each) => shown(each, ground)),
    ['--bind', home, home, '--bind', path, path],
    // Ours over the agent's: what is below cannot be moved away either, a mount point stays where it is.
    ['--ro-bind', `${path}/${agencyDirectory}`, `${path}/${agencyDirectory}`],
    ['--bind', `${path}/${outbox}`, `${path}/${outbox}`],
    doors === null ? [] : ['--ro-bind', doors, socketsInside],
    ['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/run', '--remount-ro', '/'],
    ['--chdir', path],
  ].flat()
}

/** What the kernel shows to root of itself and of everybody's memory. */
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

const covered = (name: string): string[] =>
  existsSync(`/proc/${name}`) ? ['--ro-bind', '/dev/null', `/proc/${name}`] : []

function shown(path: string, { closed }: SharedLayout): string[] {
  if (isInSystem(path) || !existsSync(path)) return []
  const real = realpathSync(path)
  for (const each of [path, real]) {
    const shut = [...closed, ...neverShown].find(
      (place) => each === place || place.startsWith(each === sep ? sep : each + sep),
    )
    if (shut !== undefined)
      throw refusal('invalid_input', `a box cannot show ${path}: it would open ${shut}`, {
        hint: 'Name the files or the directory that is really needed.',
      })
  }
  return [...(real === path || isInSystem(real) ? [] : ['--ro-bind', real, real]), '--ro-bind', path, path]
}

const neverShown = ['/dev', '/etc', '/proc', '/root', '/run', '/sys', '/tmp', '/var/run', homedir()]
