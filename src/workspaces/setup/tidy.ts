import { readdir, realpath, rename, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { diskUseOf } from '../box/disk.ts'
import { removeTree } from '../remove-tree.ts'
import { isInUse } from './in-use.ts'
import { setupDirectory } from './setups.ts'
import { aboutOf } from './snapshots.ts'

export interface Tidying {
  readonly nowMs: number
  /** The space that caches and snapshots may use together. */
  readonly maxDiskMb: number
}

/** A cache or snapshot that no setup has used for this long is removed. */
export const unusedDays = 14
const dayMs = 24 * 3_600_000

interface Kept {
  readonly path: string
  readonly usedMs: number
  readonly sizeMb: number
}

/**
 * Removes caches and snapshots that were not used for two weeks; if the others use too much space, those that were not
 * used for the longest time follow. Resolves to the number of removed ones.
 */
export async function tidySetups(root: string, { nowMs, maxDiskMb }: Tidying): Promise<number> {
  const base = join(await realpath(root), setupDirectory)
  const kept: Kept[] = []
  let removed = 0
  const drop = async (path: string): Promise<void> => {
    // Under another name first: half of a snapshot must not be taken for a whole one.
    const dropped = `${path}${unfinished}dropped`
    await rename(path, dropped)
    await removeTree(dropped)
    removed += 1
  }
  for (const repository of await namesIn(base)) {
    const directory = join(base, repository)
    for (const path of await pathsIn(directory)) {
      const found = await stat(path).catch(() => null)
      if (found === null || isInUse(path)) continue
      if (path.includes(unfinished)) {
        if (nowMs - found.mtimeMs > dayMs) await removeTree(path)
      } else if (nowMs - found.mtimeMs > unusedDays * dayMs) await drop(path)
      else kept.push({ path, usedMs: found.mtimeMs, sizeMb: await sizeOf(path) })
    }
    // An empty directory is that of a repository which is no longer used.
    for (const path of [join(directory, 'snapshots'), directory]) await rmdir(path).catch(() => {})
  }
  let totalMb = kept.reduce((sum, { sizeMb }) => sum + sizeMb, 0)
  for (const { path, sizeMb } of kept.sort((a, b) => a.usedMs - b.usedMs)) {
    if (totalMb <= maxDiskMb) break
    if (isInUse(path)) continue
    await drop(path)
    totalMb -= sizeMb
  }
  return removed
}

/** Part of the name of a snapshot that is being made or removed. */
const unfinished = '.making-'

const sizeOf = async (path: string): Promise<number> => (await aboutOf(path))?.sizeMb ?? diskUseOf([path])

const pathsIn = async (directory: string): Promise<string[]> => {
  const snapshots = join(directory, 'snapshots')
  const others = (await namesIn(directory)).filter((name) => name !== 'snapshots').map((name) => join(directory, name))
  return [...others, ...(await namesIn(snapshots)).map((name) => join(snapshots, name))]
}

const namesIn = (path: string): Promise<string[]> =>
  readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
