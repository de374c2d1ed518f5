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
  /** The box, or why there is none and whether a box is required. */
  readonly box?: Box | NoBox
  /** Creates the requested clone if it does not exist yet. */
  readonly materialise?: (clone: CloneRequest, path: string) => Promise<void>
}

export interface NoBox {
  readonly reason: string
  readonly install: string
  readonly isRequired: boolean
}

/**
 * Workspaces as directories: `root/<run>/<brief>`, or one created for a mission; each has its HOME, `<name>.home`,
 * beside it.
 */
export function createDirectoryWorkspaces(parts: DirectoryWorkspaces): Workspaces {
  const { root, clock = systemClock, box, materialise } = parts
  const workspaces: Workspaces = {
    prepare: async (request) => {
      const wantsBox = request.box === true
      if (wantsBox && box !== undefined && 'reason' in box) checkWithoutBox(box, request)
      const path = await directoryOf(root, request)
      const { clone = null, policy = defaultPolicy('') } = request
      if (clone !== null) {
        if (materialise === undefined) throw bug('a clone was requested, but these workspaces cannot create one')
        await materialise(clone, path)
      }
      // It was read-only while an agent worked without a box.
      await chmod(await ownDirectory(join(path, agencyDirectory)), 0o700)
      // Files of an earlier attempt must not count as output of this one.
      await rm(join(path, outbox), { recursive: true, force: true })
      await ownDirectory(join(path, outbox))
      const home = await ownDirectory(`${path}.home`)
      if (!wantsBox || box === undefined) return createWorkspace(path, home, request, enterDirectly(path), clock)
      if ('reason' in box)
        return createWorkspace(path, home, request, enterMonitored({ path, home, policy, clock }), clock)
      const readable = clone === null ? [] : [clone.mirror]
      const enter = box.enter({ path, home, readable, policy })
      return { ...createWorkspace(path, home, request, enter, clock), boxed: true }
    },
    remove: async (request, before) => {
      if ((request.directory ?? null) !== null) return
      const path = await directoryOf(root, request)
      // A directory that `directoryOf` has only just created has nothing to inspect.
      if ((await readdir(path)).length > 0) await before?.(await workspaces.prepare(request))
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

/** Refuses requests that only a box can guarantee where there is none. */
function checkWithoutBox({ reason, install, isRequired }: NoBox, { policy }: WorkspaceRequest): void {
  if (isRequired)
    throw refusal('box_unavailable', `a box is required, but none is available: ${reason}`, {
      hint: `${install} Or set "box: auto" in config.yaml.`,
    })
  if (policy?.network.allowed === false)
    throw refusal('network_isolation_unavailable', `the network cannot be disabled without a box: ${reason}`, {
      hint: install,
    })
}

async function directoryOf(root: string, { id, runId, directory = null }: WorkspaceRequest): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const base = await realpath(root)
  if (directory !== null) return directoryBelow(base, directory)
  if (!isPlainName(runId) || !isPlainName(id)) throw bug(`"${runId}/${id}" is not a valid directory name`)
  return ownDirectory(join(await ownDirectory(join(base, runId)), id))
}

/** Resolves a mission's existing workspace; its real path must be below the root. */
async function directoryBelow(base: string, directory: string): Promise<string> {
  const path = await realpath(resolve(base, directory)).catch(() => null)
  if (path === null || !(await lstat(path)).isDirectory())
    throw refusal('not_found', `the workspace ${directory} no longer exists`)
  if (!path.startsWith(base + sep)) throw refusal('forbidden', `${directory} leads outside the workspaces`)
  return path
}

/**
 * Makes sure that a directory exists. An agent may have put a link or a file in its place; following it would make us
 * write to its target.
 */
async function ownDirectory(path: string): Promise<string> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (stats?.isDirectory()) return path
  if (stats !== null) await rm(path, { force: true })
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return path
}
