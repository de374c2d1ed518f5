import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { pause, systemClock } from '../../kernel/clock.ts'
import { type GroupFiles, groupFiles, type GroupLimits, pidsIn, type Version } from './cgroup-files.ts'
import { readMounts } from './mounts.ts'

/** Control groups of the kernel below one that this process may divide. */
export interface Groups {
  readonly version: Version
  /** Creates a group; its processes are those that enter it, and their descendants. */
  create(limits: GroupLimits): Group
  /** Ends the processes of groups that a killed daemon left, and removes the groups. */
  removeLeft(): Promise<void>
}

/** The kernel's own limits and figures of one box. */
export interface Group extends GroupFiles {
  /** The files to which a process writes its pid to enter the group. */
  readonly entrances: readonly string[]
  /** Removes the group; it must have no process left. */
  remove(): Promise<void>
}

interface Parents {
  readonly version: Version
  /** One directory by controller, the same one twice in version 2. */
  readonly memory: string
  readonly pids: string
}

/**
 * Returns the groups of this installation, or null if this user may not create any. They are below the group of this
 * process, so that the limits of that one hold for the boxes too. In version 2 a group with processes cannot have limited
 * groups below it; there the boxes get groups beside this process.
 */
export async function findGroups(home: string, root = '/'): Promise<Groups | null> {
  const prefix = `${ours}${createHash('sha256').update(home).digest('hex').slice(0, 12)}-`
  for (const parents of candidates(root)) {
    const groups = groupsBelow(parents, prefix)
    try {
      const group = groups.create({ memoryMb: 64, tasks: 64 })
      // Only a process that enters shows that this user may move processes between groups.
      execFileSync('/bin/sh', enteringArguments(group.entrances, ['/bin/true']), { stdio: 'ignore' })
      await group.remove()
      return groups
    } catch {
      // This user may not create a group here, or the kernel gives it no limits.
    }
  }
  return null
}

const ours = 'agency-'

/** Reports whether a group of another installation is of no use: empty, and too old to be waiting for its first process. */
function isAbandoned(directory: string): boolean {
  const stats = statSync(directory, { throwIfNoEntry: false })
  return stats !== undefined && pidsIn(directory).length === 0 && systemClock.nowMs() - stats.ctimeMs > 3_600_000
}

function groupsBelow(parents: Parents, prefix: string): Groups {
  const places = [...new Set([parents.memory, parents.pids])]
  return {
    version: parents.version,
    create: (limits) => {
      const name = prefix + randomBytes(6).toString('hex')
      const remove = async (): Promise<void> => {
        for (const place of places) await removeGroup(join(place, name))
      }
      try {
        for (const place of places) mkdirSync(join(place, name))
        const files = groupFiles(parents.version, join(parents.memory, name), join(parents.pids, name))
        files.limit(limits)
        return { ...files, entrances: places.map((place) => join(place, name, 'cgroup.procs')), remove }
      } catch (error) {
        void remove()
        throw error
      }
    },
    removeLeft: async () => {
      for (const place of places)
        for (const name of readdirSync(place)) {
          const path = join(place, name)
          if (name.startsWith(prefix)) await removeGroup(path)
          else if (name.startsWith(ours) && isAbandoned(path)) await removeGroup(path)
        }
    },
  }
}

/**
 * Returns arguments of `sh` that start a command inside groups: a process can enter a group for itself, and what it
 * starts begins there.
 */
export const enteringArguments = (entrances: readonly string[], command: readonly string[]): string[] => [
  '-c',
  entering,
  'sh',
  String(entrances.length),
  ...entrances,
  ...command,
]

const entering = 'n=$1; while [ $n -gt 0 ]; do shift; echo 0 >"$1" || exit 125; n=$((n - 1)); done; shift; exec "$@"'

/** Ends what is left in a group, then removes it; a process that is still exiting makes the kernel refuse. */
async function removeGroup(directory: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      rmdirSync(directory)
      return
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return
      // The next start of the daemon removes it.
      if (code !== 'EBUSY') return
      killGroupAt(directory)
      await pause(5)
    }
  }
}

function killGroupAt(directory: string): void {
  try {
    writeFileSync(join(directory, 'cgroup.kill'), '1')
  } catch {
    // Version 1 has no such file.
    for (const pid of pidsIn(directory)) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has exited.
      }
    }
  }
}

/** Returns the groups below which this process could create others, the best first. */
function candidates(root: string): Parents[] {
  const own = new Map(
    linesOf(join(root, 'proc/self/cgroup')).map((line) => {
      const [, controllers = '', ...path] = line.split(':')
      return [controllers, path.join(':')] as const
    }),
  )
  const mounts = readMounts(linesOf(join(root, 'proc/self/mountinfo')).join('\n'))
  const at = (type: string, controller: string): string | null => {
    const mount = mounts.find((each) => each.type === type && (controller === '' || each.options.includes(controller)))
    const path = [...own].find(([names]) => names.split(',').includes(controller))?.[1]
    if (mount === undefined || path === undefined) return null
    const below = mount.root === '/' ? path : path.startsWith(mount.root) ? path.slice(mount.root.length) : null
    return below === null ? null : join(root, mount.path, below)
  }
  const [memory, pids, unified] = [at('cgroup', 'memory'), at('cgroup', 'pids'), at('cgroup2', '')]
  return [
    ...(memory === null || pids === null ? [] : [{ version: 1, memory, pids } as const]),
    ...(unified === null ? [] : [unified, join(unified, '..')].filter(divide).map((each) => both(each))),
  ]
}

const both = (directory: string): Parents => ({ version: 2, memory: directory, pids: directory })

/** Lets the groups below a group of version 2 have limits; the kernel refuses it while the group has processes. */
function divide(directory: string): boolean {
  const file = join(directory, 'cgroup.subtree_control')
  const isDivided = (): boolean => {
    const names = linesOf(file).join(' ').split(' ')
    return names.includes('memory') && names.includes('pids')
  }
  if (isDivided()) return true
  try {
    writeFileSync(file, '+memory +pids')
  } catch {
    return false
  }
  return isDivided()
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    return []
  }
}
