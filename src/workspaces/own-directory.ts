import { lstat, mkdir, unlink } from 'node:fs/promises'

import { openDirectory } from './walk-tree.ts'

/**
 * Makes sure that a directory exists and can be entered. An agent may have put a link or a file in its place; following
 * it would make us write to its target. It may also have taken all permissions from it.
 */
export async function ownDirectory(path: string): Promise<string> {
  if (await isDirectory(path)) return restorePermissions(path)
  // Another call may have just created it: unlike `rm`, this never removes an empty directory.
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (!['ENOENT', 'EISDIR', 'EPERM'].includes(error.code ?? '')) throw error
  })
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return path
}

export async function restorePermissions(directory: string): Promise<string> {
  await (await openDirectory(directory, 0o700)).close()
  return directory
}

/** Reports whether the path itself is a directory; a link to one is not. */
export async function isDirectory(path: string): Promise<boolean> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return stats?.isDirectory() ?? false
}
