import { lstat, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'

import { isOurs } from '../../workspaces/path.ts'

/** Returns why a file that evidence names cannot be looked at: its agent gets this text, and corrects its work by it. */
export async function absent(root: string, path: string): Promise<string> {
  const linksTo = await realpath(join(root, path)).catch(() => null)
  if (linksTo === null || !linksTo.startsWith(root + sep)) return `${path} ${await missing(root, path)}`
  if (isOurs(linksTo.slice(root.length + 1))) return `${path} belongs to Agency and not to the work`
  const found = await stat(linksTo).catch(() => null)
  if (found === null) return `${path} is missing`
  if (found.isDirectory()) return `${path} is a directory and not a file`
  return found.isFile() ? `${path} is too large, or cannot be read` : `${path} is not a regular file`
}

/** A link to nothing and one that leads outside have the same text: an agent must not learn which files exist there. */
async function missing(root: string, path: string): Promise<string> {
  const parts = path.split('/')
  for (const [index] of parts.entries()) {
    const found = await lstat(join(root, ...parts.slice(0, index + 1))).catch(() => null)
    if (found === null) return 'is missing'
    if (found.isSymbolicLink()) return 'is a link that leads to no file inside the workspace'
  }
  return 'is missing'
}
