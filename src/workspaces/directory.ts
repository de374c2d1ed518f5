import { chmod, lstat, mkdir, readdir, realpath, rename } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'

import { type Clock, systemClock } from '../kernel/clock.ts'
import { AgencyError, bug, refusal } from '../kernel/errors.ts'
import type { Box } from './box/box.ts'
import { killSurvivors } from '../processes/survivors.ts'
import { createCheckouts, type Materialise } from './checkout.ts'
import { changedFiles, listFiles } from './copied-files.ts'
import { copyTree } from './copy-tree.ts'
import { disarmRepositories, fillIndexes } from './disarm-repositories.ts'
import { checkBox, createWorkspace, type Entrance, type NoBox } from './enter.ts'
import { sourceInside } from './file-source.ts'
import { isDirectory, ownDirectory, restorePermissions } from './own-directory.ts'
import { maxHandedBytes } from './handed-files.ts'
import { type FileToLay, layFiles } from './lay-files.ts'
import { agencyDirectory, inputsDirectory, isPlainName, outbox, sharedObjects } from './path.ts'
import type { CopiedWorkspace, HandedFile, Workspace, WorkspaceRequest, Workspaces } from './port.ts'
import { removeTree } from './remove-tree.ts'
import { createSetups, type SetupOptions } from './setup/setups.ts'

export interface DirectoryWorkspaces {
  readonly root: string
  readonly clock?: Clock
  /** The box, or why there is none. */
  readonly box?: Box | NoBox
  /** Refuses every process that would run outside the box. */
  readonly isBoxRequired?: boolean
  /** Creates the requested clone if it does not exist yet. */
  readonly materialise?: Materialise
  readonly setup?: SetupOptions
}

/**
 * Workspaces as directories: `root/<run>/<brief>`, or one created for a mission; each has its HOME, `<name>.home`,
 * beside it.
 */
export function createDirectoryWorkspaces(parts: DirectoryWorkspaces): Workspaces {
  const { root, clock = systemClock, box, isBoxRequired = false, materialise } = parts
  const entrance: Entrance = { box, isBoxRequired, clock }
  const checkouts = createCheckouts({
    root,
    entrance,
    materialise,
    prepare: createSetups(() => baseOf(root), entrance, parts.setup ?? {}),
    directoryOf: (request) => existingDirectoryOf(root, request),
  })
  const workspaces: Workspaces = {
    ...checkouts,
    prepare: async (request) => {
      checkBox(entrance, { wantsBox: wantsBox(entrance, request), policy: request.policy })
      const { clone = null, copyOf } = request
      const copied = copyOf === undefined ? [] : await copyOnce(root, request, copyOf)
      const path = await directoryOf(root, request)
      if (copyOf === undefined && clone !== null) {
        if (materialise === undefined) throw bug('a clone was requested, but these workspaces cannot create one')
        await materialise(clone, path)
      }
      // Files of an earlier attempt must not count as output of this one.
      const own = await ownAgencyDirectory(path)
      await removeTree(join(own, basename(outbox)))
      await removeTree(join(own, basename(inputsDirectory)))
      const workspace = await openWorkspace(entrance, path, request)
      await fillIndexes(workspace, copied)
      return workspace
    },
    open: async (request) => {
      checkBox(entrance, { wantsBox: wantsBox(entrance, request), policy: request.policy })
      return openWorkspace(entrance, await existingDirectoryOf(root, request), request)
    },
    lay: async (request, files) => {
      const path = await existingDirectoryOf(root, request)
      const inputs = join(await ownAgencyDirectory(path), basename(inputsDirectory))
      await removeTree(inputs)
      const unlessIn = (request.clone ?? null) === null ? undefined : path
      const laid = await layFiles(inputs, await withRoots(root, request, files), {
        maxBytes: maxHandedBytesOf(request),
        unlessIn,
      })
      if ('refused' in laid) await removeTree(inputs)
      return laid
    },
    changedInCopy: async (request) => {
      const path = await existingDirectoryOf(root, request)
      const original = request.copyOf === undefined ? null : await originalOf(root, request.runId, request.copyOf)
      return changedFiles(path, listOf(path), original)
    },
    source: async (runId, from, path) => {
      const directory = await originalOf(root, runId, from)
      return directory === null ? null : sourceInside(directory, path)
    },
    remove: async (request, before) => {
      if ((request.directory ?? null) !== null) return
      const path = await directoryOf(root, request)
      // A directory that `directoryOf` has only just created has nothing to inspect.
      if ((await readdir(path)).length > 0) await before?.(await workspaces.prepare(request))
      for (const each of [path, `${path}.home`, unfinishedCopyOf(path), listOf(path)]) await removeTree(each)
    },
  }
  return workspaces
}

/**
 * Copies another workspace, unless that was done before: the copy is complete as soon as it has its name. Resolves to the
 * repositories in it, whose indexes are to be filled.
 */
async function copyOnce(root: string, request: WorkspaceRequest, copyOf: CopiedWorkspace): Promise<string[]> {
  const { id, runId, attemptId, clone = null } = request
  const run = await runDirectory(root, runId, id)
  const path = join(run, id)
  if (await isDirectory(path)) return []
  const making = unfinishedCopyOf(path)
  const launchId = attemptId ?? id
  if (await isDirectory(making)) await killSurvivors([launchId])
  await removeTree(making)
  await ownDirectory(making)
  const from = await existingDirectoryOf(root, { id: copyOf.id, runId, directory: copyOf.directory })
  await copyTree({ from, into: making, except: [agencyDirectory], launchId })
  const repositories = await disarmRepositories(making, { mirror: clone?.mirror ?? null })
  await listFiles(making, listOf(path))
  await rename(making, path)
  return repositories
}

/** Adds the directories of the workspaces in which the files were made. */
async function withRoots<File extends HandedFile>(
  root: string,
  { runId }: WorkspaceRequest,
  files: readonly File[],
): Promise<FileToLay<File>[]> {
  const roots = new Map<string, string | null>()
  for (const { from } of files)
    if (!roots.has(from.id)) roots.set(from.id, await originalOf(root, from.runId ?? runId, from))
  return files.map((file) => ({ file, root: roots.get(file.from.id) ?? null }))
}

/** The files of other briefs count as disk use of the brief that is handed them, and must leave it as much again. */
const maxHandedBytesOf = ({ policy }: WorkspaceRequest): number =>
  Math.min(maxHandedBytes, ((policy?.limits.maxDiskMb ?? Infinity) * 1024 ** 2) / 2)

const unfinishedCopyOf = (path: string): string => join(dirname(path), `.${basename(path)}.copy`)
const listOf = (path: string): string => join(dirname(path), `.${basename(path)}.files`)

/** Resolves to null if the original is gone. */
const originalOf = (root: string, runId: string, { id, directory }: CopiedWorkspace) =>
  existingDirectoryOf(root, { id, runId, directory }).catch((error: unknown) => {
    if (error instanceof AgencyError && error.code === 'not_found') return null
    throw error
  })

const wantsBox = ({ isBoxRequired }: Entrance, { box = false }: WorkspaceRequest): boolean =>
  box === 'if_required' ? isBoxRequired === true : box

async function openWorkspace(entrance: Entrance, path: string, request: WorkspaceRequest): Promise<Workspace> {
  const { attemptId = null, clone = null, readable = [], policy } = request
  await ownDirectory(join(await ownAgencyDirectory(path), basename(outbox)))
  const home = await ownDirectory(`${path}.home`)
  return createWorkspace(entrance, {
    path,
    home,
    wantsBox: wantsBox(entrance, request),
    policy,
    readable,
    own: clone === null ? [] : [sharedObjects(clone.mirror)],
    launchId: attemptId,
  })
}

/** Makes Agency's own directory writable: it was read-only while an agent worked without a box. */
async function ownAgencyDirectory(path: string): Promise<string> {
  const own = await ownDirectory(join(path, agencyDirectory))
  await chmod(own, 0o700)
  return own
}

async function directoryOf(root: string, { id, runId, directory = null }: WorkspaceRequest): Promise<string> {
  if (directory !== null) return directoryBelow(await baseOf(root), directory)
  return ownDirectory(join(await runDirectory(root, runId, id), id))
}

async function existingDirectoryOf(root: string, request: WorkspaceRequest): Promise<string> {
  const { id, runId, directory = null } = request
  if (directory !== null) return directoryOf(root, request)
  const path = join(await runDirectory(root, runId, id), id)
  if (await isDirectory(path)) return restorePermissions(path)
  throw refusal('not_found', `the workspace of ${id} no longer exists`)
}

async function runDirectory(root: string, runId: string, id: string): Promise<string> {
  if (!isPlainName(runId) || !isPlainName(id)) throw bug(`"${runId}/${id}" is not a valid directory name`)
  return ownDirectory(join(await baseOf(root), runId))
}

async function baseOf(root: string): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  return realpath(root)
}

/** Resolves a mission's existing workspace; its real path must be below the root. */
async function directoryBelow(base: string, directory: string): Promise<string> {
  const path = await realpath(resolve(base, directory)).catch(() => null)
  if (path === null || !(await lstat(path)).isDirectory())
    throw refusal('not_found', `the workspace ${directory} no longer exists`)
  if (!path.startsWith(base + sep)) throw refusal('forbidden', `${directory} leads outside the workspaces`)
  return restorePermissions(path)
}
