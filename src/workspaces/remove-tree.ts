import { lstat, rm, rmdir, unlink } from 'node:fs/promises'

import { type TreeEntry, walkTree } from './walk-tree.ts'

const forced = { recursive: true, force: true, maxRetries: 3 } as const

/**
 * Removes a directory with everything in it. A program may have removed permissions from its own directories, or nested
 * them more deeply than a path can be long; then they are removed one by one.
 */
export async function removeTree(path: string | Buffer): Promise<void> {
  try {
    await rm(path, forced)
  } catch (error) {
    if (!isObstacle(error)) throw error
    await removeByDescriptors(path)
  }
}

const isObstacle = (error: unknown): boolean =>
  ['ENAMETOOLONG', 'EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')

/** A directory in which something appears again and again is not visited for ever. */
const maxVisits = 1_000

async function removeByDescriptors(path: string | Buffer): Promise<void> {
  let again = 0
  await walkTree(path, {
    needs: 0o700,
    found: async (entries) => {
      await Promise.all(entries.map(removeEntry))
      return true
    },
    left: async (directory) => {
      const code = await rmdir(directory).then(
        () => null,
        (error: NodeJS.ErrnoException) => error.code,
      )
      // A listing may miss entries while others are removed.
      if (code === 'ENOTEMPTY') again += 1
      return code === 'ENOTEMPTY' && again <= maxVisits
    },
  })
  await rmdir(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return
    // The entries of the root itself may have been missed too.
    if (error.code === 'ENOTDIR' || error.code === 'ENOTEMPTY') return rm(path, forced)
    throw error
  })
}

async function removeEntry({ path, isDirectory }: TreeEntry): Promise<void> {
  if (isDirectory) return
  await unlink(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return
    const stats = await lstat(path).catch(() => null)
    if (stats !== null && !stats.isDirectory()) throw error
  })
}
