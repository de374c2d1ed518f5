import { chmod, lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'

import { type Clock, systemClock } from '../kernel/clock.ts'
import { bug, refusal } from '../kernel/errors.ts'
import type { Box } from './box/box.ts'
import { runCommand } from './command.ts'
import { readInside, writeInside } from './files.ts'
import { agencyDirectory, isPlainName, outbox } from './path.ts'
import { enterDirectly } from './enter-directly.ts'
import { defaultPolicy } from './policy.ts'
import type { CloneRequest, WorkspaceRequest, Workspace, Workspaces } from './port.ts'
import { enterMonitored } from './enter-monitored.ts'

export interface DirectoryWorkspaces {
  readonly root: string
  readonly clock?: Clock
  /** Where there is none: why, and whether nothing may be started without one. */
  readonly box?: Box | NoBox
  /** Makes the clone that a place asks for, if it is not there yet. */
  readonly materialise?: (order: CloneRequest, path: string) => Promise<void>
}

export interface NoBox {
  readonly reason: string
  readonly install: string
  readonly isRequired: boolean
}

/** Workspaces as directories: `root/<run>/<brief>`, or one made for a mission; and beside each its HOME, `<name>.home`. */
export function createDirectoryWorkspaces(parts: DirectoryWorkspaces): Workspaces {
  const { root, clock = systemClock, box, materialise } = parts
  const workspaces: Workspaces = {
    prepare: async (place) => {
      const wanted = place.box === true
      if (wanted && box !== undefined && 'reason' in box) checkWithout(box, place)
      const path = await directoryOf(root, place)
      const { clone = null, policy = defaultPolicy('') } = place
      if (clone !== null) {
        if (materialise === undefined) throw bug('a clone was asked for where nobody makes one')
        await materialise(clone, path)
      }
      // Closed to writing while an agent worked without a box.
      await chmod(await ownDirectory(join(path, agencyDirectory)), 0o700)
      // What an earlier attempt put there must not speak for this one.
      await rm(join(path, outbox), { recursive: true, force: true })
      await ownDirectory(join(path, outbox))
      const home = await ownDirectory(`${path}.home`)
      if (!wanted || box === undefined) return createWorkspace(path, home, place, enterDirectly(path), clock)
      if ('reason' in box)
        return createWorkspace(path, home, place, enterMonitored({ path, home, policy, clock }), clock)
      const readable = clone === null ? [] : [clone.mirror]
      const enter = box.enter({ path, home, readable, policy })
      return { ...createWorkspace(path, home, place, enter, clock), boxed: true }
    },
    remove: async (place, before) => {
      if ((place.directory ?? null) !== null) return
      const path = await directoryOf(root, place)
      // One that was only just made for this question has nothing to look at.
      if ((await readdir(path)).length > 0) await before?.(await workspaces.prepare(place))
      for (const each of [path, `${path}.home`]) await rm(each, { recursive: true, force: true })
    },
  }
  return workspaces
}

function createWorkspace(
  path: string,
  home: string,
  { attemptId = null }: WorkspaceRequest,
  enter: Workspace['enter'],
  clock: Clock,
): Workspace {
  return {
    path,
    boxed: false,
    home,
    enter,
    read: (name, maxBytes) => readInside(path, name, maxBytes),
    write: (name, text) => writeInside(path, name, text),
    run: (command, limits) =>
      runCommand({ command, workspace: { enter, home }, launchId: attemptId, clock, ...limits }),
  }
}

/** What only a box can promise is refused where there is none. */
function checkWithout({ reason, install, isRequired }: NoBox, { policy }: WorkspaceRequest): void {
  if (isRequired)
    throw refusal('box_unavailable', `nothing is started without a box, and there is none: ${reason}`, {
      hint: `${install} Or set "box: auto" in config.yaml.`,
    })
  if (policy?.network.allowed === false)
    throw refusal('network_isolation_unavailable', `no network was asked for, and without a box there is: ${reason}`, {
      hint: install,
    })
}

async function directoryOf(root: string, { id, runId, directory = null }: WorkspaceRequest): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const base = await realpath(root)
  if (directory !== null) return directoryBelow(base, directory)
  if (!isPlainName(runId) || !isPlainName(id)) throw bug(`no directory can be called "${runId}/${id}"`)
  return ownDirectory(join(await ownDirectory(join(base, runId)), id))
}

/** A mission's workspace is there already; wherever its name leads, it must lead below the root. */
async function directoryBelow(base: string, directory: string): Promise<string> {
  const path = await realpath(resolve(base, directory)).catch(() => null)
  if (path === null || !(await lstat(path)).isDirectory())
    throw refusal('not_found', `the workspace ${directory} is gone`)
  if (!path.startsWith(base + sep)) throw refusal('forbidden', `${directory} leads outside the workspaces`)
  return path
}

/** An agent may have put a link or a file in the way; following it would make us write where it points. */
async function ownDirectory(path: string): Promise<string> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (found?.isDirectory()) return path
  if (found !== null) await rm(path, { force: true })
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return path
}
