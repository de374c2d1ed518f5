import { execFile } from 'node:child_process'
import { chmod, lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const forced = { recursive: true, force: true, maxRetries: 3 } as const

/**
 * Removes a directory with everything in it. A program may have removed permissions from its own directories, or nested
 * them so deeply that only a program that enters them one by one can remove them.
 */
export async function removeTree(path: string): Promise<void> {
  await rm(path, forced).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENAMETOOLONG') return void (await promisify(execFile)('rm', ['-rf', '--', path]))
    if (error.code !== 'EACCES' && error.code !== 'EPERM' && error.code !== 'ENOTEMPTY') throw error
    await restorePermissions(path)
    await rm(path, forced)
  })
}

async function restorePermissions(directory: string): Promise<void> {
  const found = await lstat(directory).catch(() => null)
  if (found === null || !found.isDirectory()) return
  await chmod(directory, 0o700).catch(() => {})
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await restorePermissions(join(directory, entry.name))
}
