import { lstat, mkdir, unlink } from 'node:fs/promises'

/**
 * Makes sure that a directory exists. An agent may have put a link or a file in its place; following it would make us
 * write to its target.
 */
export async function ownDirectory(path: string): Promise<string> {
  if (await isDirectory(path)) return path
  // Another call may have just created it: unlike `rm`, this never removes an empty directory.
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (!['ENOENT', 'EISDIR', 'EPERM'].includes(error.code ?? '')) throw error
  })
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return path
}

/** Reports whether the path itself is a directory; a link to one is not. */
export async function isDirectory(path: string): Promise<boolean> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return stats?.isDirectory() ?? false
}
