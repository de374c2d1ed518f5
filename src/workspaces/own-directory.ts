import { lstat, mkdir, rm } from 'node:fs/promises'

/**
 * Makes sure that a directory exists. An agent may have put a link or a file in its place; following it would make us
 * write to its target.
 */
export async function ownDirectory(path: string): Promise<string> {
  if (await isDirectory(path)) return path
  await rm(path, { force: true })
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
