import { access, constants, lstat, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'

import { oneLine, shorten } from '../../kernel/text.ts'
import { maxFileBytes, maxLookBytes } from '../../workspaces/files.ts'
import { isOurs } from '../../workspaces/path.ts'

/** Returns why a file that evidence names cannot be looked at: its agent gets this text, and corrects its work by it. */
export async function absent(root: string, path: string): Promise<string> {
  const linksTo = await realpath(join(root, path)).catch(() => null)
  if (linksTo === null || !linksTo.startsWith(root + sep)) return `${path} ${await missing(root, path)}`
  if (isOurs(linksTo.slice(root.length + 1))) return `${path} belongs to Agency and not to the work`
  const found = await stat(linksTo).catch(() => null)
  if (found === null) return `${path} ${isMissing}`
  if (found.isDirectory()) return `${path} is a directory and not a file`
  if (!found.isFile()) return `${path} is not a regular file`
  if (found.size > maxFileBytes)
    return `${path} is too large: ${gigabytes(found.size)}, and at most ${gigabytes(maxFileBytes)} are read`
  const isReadable = await access(linksTo, constants.R_OK).then(
    () => true,
    () => false,
  )
  return isReadable
    ? `${path} was not read: the files of this check are larger than ${gigabytes(maxLookBytes)} together`
    : `${path} cannot be read: its permissions refuse it`
}

const isMissing = 'is missing'
const maxLinks = 8

/**
 * A link that leads outside has the same text whether its target exists or not: an agent must not learn which files exist
 * there. Only components inside the workspace are looked at.
 */
async function missing(root: string, path: string, links = 0): Promise<string> {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  for (const [index] of parts.entries()) {
    const at = join(root, ...parts.slice(0, index + 1))
    const found = await lstat(at).catch(() => null)
    if (found === null) return isMissing
    if (!found.isSymbolicLink()) continue
    const target = resolve(dirname(at), await readlink(at).catch(() => ''))
    if (!target.startsWith(root + sep)) return 'is a link that leads outside the workspace'
    if (links === maxLinks) return 'is a link that leads to no file'
    const inside = target.slice(root.length + 1)
    const reason = await missing(root, [inside, ...parts.slice(index + 1)].join('/'), links + 1)
    return reason === isMissing ? `is a link to ${inside}, which is missing` : reason
  }
  return isMissing
}

/** Names the files that the report names in place of one that is missing, so that a wrong name is seen at once. */
export function reportedInstead(detail: string, outputs: readonly { readonly path: string }[]): string {
  if (outputs.length === 0) return detail
  const named = outputs.slice(0, 3).map(({ path }) => oneLine(path))
  const more = outputs.length - named.length
  return `${detail}; the report names ${shorten(named.join(', '), 300)}${more > 0 ? ` and ${more} more` : ''}`
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`
