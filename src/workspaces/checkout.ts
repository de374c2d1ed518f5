import { lstat, mkdir, readdir, realpath, rename } from 'node:fs/promises'
import { join } from 'node:path'

import { bug } from '../kernel/errors.ts'
import { hide, reveal } from '../processes/launch-id.ts'
import { killSurvivors } from '../processes/survivors.ts'
import { copyTree } from './copy-tree.ts'
import { disarmRepositories, fillIndexes } from './disarm-repositories.ts'
import { checkCheckoutBox, createWorkspace, type Entrance } from './enter.ts'
import { ownDirectory } from './own-directory.ts'
import { agencyDirectory, isPlainName, sharedObjects } from './path.ts'
import type { CheckoutRequest, CloneRequest, Setup, WorkspaceRequest, Workspaces } from './port.ts'
import { removeTree } from './remove-tree.ts'
import type { PrepareCheckout } from './setup/setups.ts'

/** Creates the files of a commit and its repository in a directory. */
export type Materialise = (clone: CloneRequest, path: string, options?: MaterialiseOptions) => Promise<void>

export interface MaterialiseOptions {
  /** Only these paths of the commit are written. */
  readonly paths?: readonly string[] | undefined
  /** The directory has files of this commit: those that the other one lacks are removed, all others of it are written. */
  readonly over?: string
  /** Its processes carry it as AGENCY_LAUNCH_ID. */
  readonly launchId?: string
  readonly signal?: AbortSignal | undefined
}

export interface CheckoutParts {
  /** The root of the workspaces. */
  readonly root: string
  readonly entrance: Entrance
  readonly materialise: Materialise | undefined
  readonly prepare: PrepareCheckout
  /** Returns the directory of an existing workspace. */
  readonly directoryOf: (request: WorkspaceRequest) => Promise<string>
}

/** The directory of all checkouts, below the root of the workspaces; the name of a run or a mission has no dot. */
export const checkoutsDirectory = '.trees'

/** Returns the name of a checkout's directory. A box shows the paths of its mounts, and they must not name the check. */
export const checkoutName = hide

/**
 * Checkouts as directories, each with its HOME, `<name>.home`, beside it, and other HOMEs while it is being set up.
 */
export function createCheckouts(parts: CheckoutParts): Pick<Workspaces, 'checkout' | 'removeCheckouts'> {
  const { root, entrance } = parts
  return {
    checkout: async (request) => {
      const { id, source, policy, box: wantsBox = false, setup: command = null, signal } = request
      if (!isPlainName(id)) throw bug(`"${id}" is not a valid directory name`)
      signal?.throwIfAborted()
      checkCheckoutBox(entrance, { wantsBox, policy })
      const base = await baseOf(root)
      await discard(base, id)
      const path = join(base, checkoutName(id))
      const home = `${path}.home`
      const remove = (): Promise<void> => removePaths(base, id)
      let repositories: string[]
      try {
        await mkdir(path, { mode: 0o700 })
        await mkdir(home, { mode: 0o700 })
        repositories = await fill(parts, request, path)
      } catch (error) {
        // The first error is the reason; whatever cannot be removed now is removed by the next call or start.
        await remove().catch(() => {})
        throw error
      }
      const mirror = mirrorOf(source)
      const own = mirror === null ? [] : [sharedObjects(mirror)]
      let programs: readonly string[] = []
      const place = { path, home, wantsBox, policy, own, isCheckout: true, launchId: id, programs: () => programs }
      const setUp = async (): Promise<Setup | null> => {
        if (source.kind !== 'commit') return null
        const homes = [`${path}.setup`, `${path}.build`] as const
        const cloneAgain = async (): Promise<void> => {
          await removeTree(path)
          await mkdir(path, { mode: 0o700 })
          await fill(parts, request, path)
        }
        const prepared = await parts.prepare({ id, path, source, command, wantsBox, policy, signal, homes, cloneAgain })
        programs = prepared?.programs ?? []
        return prepared?.setup ?? null
      }
      let setup: Promise<Setup | null> | null = null
      const isCleanClone = source.kind === 'commit'
      const workspace = createWorkspace(entrance, place)
      await fillIndexes(workspace, repositories)
      return { ...workspace, isCleanClone, setUp: () => (setup ??= setUp()), remove }
    },
    removeCheckouts: async (keep) => {
      const base = await baseOf(root)
      const left = (await readdir(base)).filter((name) => !keep.has(idOf(name)))
      if (left.length === 0) return
      await killSurvivors([...new Set(left.map(idOf))])
      // Renamed first, because a large one takes long to remove, and its name may be needed at once.
      const aside = await Promise.all(left.map((name) => setAside(base, name)))
      // Whatever cannot be removed now is removed by the next start.
      void Promise.allSettled(aside.map(removeTree))
    },
  }
}

const isAside = '.removed-'

async function setAside(base: string, name: string): Promise<string> {
  const path = join(base, name)
  if (name.startsWith(isAside)) return path
  const aside = join(base, `${isAside}${name}`)
  await removeTree(aside)
  await rename(path, aside)
  return aside
}

/** Returns the id in the name of any directory of a checkout. */
function idOf(name: string): string {
  const plain = name.replace(/^\.(.*)\.git$/, '$1').replace(/\.(home|setup|build)$/, '')
  return reveal(plain) ?? plain
}

const mirrorOf = (source: CheckoutRequest['source']): string | null =>
  source.kind === 'commit' ? source.mirror : (source.workspace.clone?.mirror ?? null)

/** Resolves to the copied repositories, whose indexes are to be filled. */
async function fill(
  { materialise, directoryOf }: CheckoutParts,
  { id, source, signal }: CheckoutRequest,
  path: string,
): Promise<string[]> {
  const clone = async (request: CloneRequest, options: MaterialiseOptions): Promise<void> => {
    if (materialise === undefined) throw bug('a clone was requested, but these workspaces cannot create one')
    await materialise(request, path, { ...options, launchId: id, signal })
  }
  if (source.kind === 'commit') {
    const { mirror, branch, commit, paths } = source
    await clone({ mirror, branch, start: commit }, { paths })
    return []
  }
  const { workspace, commit } = source
  // With a commit, the copy gets a new repository.
  const except = commit === null ? [agencyDirectory] : [agencyDirectory, '.git']
  await copyTree({ from: await directoryOf(workspace), into: path, except, launchId: id, signal })
  const repositories = await disarmRepositories(path, { mirror: workspace.clone?.mirror ?? null })
  if (commit === null) return repositories
  const { mirror, branch, start } = workspace.clone ?? missingClone(workspace)
  await clone({ mirror, branch, start: commit }, { over: start })
  return repositories
}

function missingClone({ id }: WorkspaceRequest): never {
  throw bug(`files of ${id} cannot be reset to a commit: its workspace is not a clone`)
}

async function baseOf(root: string): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  return ownDirectory(join(await realpath(root), checkoutsDirectory))
}

/** Removes a checkout, finished or not, and kills processes that still work on it for a daemon that died. */
async function discard(base: string, id: string): Promise<void> {
  const found = await Promise.all(pathsOf(base, id).map((path) => lstat(path).catch(() => null)))
  if (found.every((each) => each === null)) return
  await killSurvivors([id])
  await removePaths(base, id)
}

async function removePaths(base: string, id: string): Promise<void> {
  for (const path of pathsOf(base, id)) await removeTree(path)
}

/** The first is the repository of a clone that is being made. */
const pathsOf = (base: string, id: string): string[] =>
  [
    `.${checkoutName(id)}.git`,
    ...['', '.home', '.setup', '.build'].map((suffix) => `${checkoutName(id)}${suffix}`),
  ].map((name) => join(base, name))
