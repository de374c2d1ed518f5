import { lstatSync, type Stats } from 'node:fs'

import { type TreeEntry, walkTree } from '../walk-tree.ts'

export interface DiskUse {
  readonly megabytes: number
  /** The number of files, directories and links. */
  readonly files: number
}

/**
 * Measures directories. A link counts by its own size, a file with several names once, holes not at all. It stops at
 * `maxFiles`, so that a huge number of files cannot make it take arbitrarily long.
 */
export async function measureDisk(directories: readonly string[], maxFiles = 10_000_000): Promise<DiskUse> {
  const seen = new Set<string>()
  let blocks = 0
  let files = 0
  const count = ({ path, isDirectory }: TreeEntry): void => {
    const stats = statsOf(path)
    if (stats === null) return
    files += 1
    if (stats.nlink > 1 && !isDirectory) {
      const identity = `${stats.dev}:${stats.ino}`
      if (seen.has(identity)) return
      seen.add(identity)
    }
    blocks += stats.blocks
  }
  const found = async (entries: readonly TreeEntry[]): Promise<boolean> => {
    // A batch is small, and one call after the other takes a fifth of the time.
    for (const entry of entries) count(entry)
    return files <= maxFiles
  }
  for (const directory of directories) {
    await walkTree(directory, { needs: 0o500, found })
    if (files > maxFiles) break
  }
  return { megabytes: (blocks * 512) / (1024 * 1024), files }
}

export const diskUseOf = async (directories: readonly string[]): Promise<number> =>
  (await measureDisk(directories)).megabytes

function statsOf(path: Buffer): Stats | null {
  try {
    return lstatSync(path)
  } catch {
    // Removed during the measurement.
    return null
  }
}
