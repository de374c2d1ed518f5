import { slug } from '../kernel/text.ts'

/** Folders without personalities in shared collections. */
const otherFolders = new Set(['integrations', 'examples', 'scripts', 'node_modules'])

/** Reports whether a folder is not walked at all. */
export const isSkippedFolder = (folder: string): boolean =>
  folder.startsWith('.') || otherFolders.has(folder.toLowerCase())

export const stemOf = (path: string): string => (path.split('/').at(-1) ?? '').replace(/\.md$/i, '')

/** Returns the first folder; a personality outside all folders belongs to the general division. */
export const divisionOf = (path: string): string =>
  slug(path.includes('/') ? (path.split('/')[0] ?? '') : '') || 'general'

/**
 * Returns why a readable Markdown file is not a personality, or null. A file with front matter always is one; without
 * it, only a file in a division folder is, unless its name marks documentation: README, CONTRIBUTING.
 */
export function reasonToSkip(path: string, hasFrontMatter: boolean): string | null {
  if (hasFrontMatter) return null
  if (/^[A-Z0-9_. -]+$/.test(stemOf(path)))
    return 'is documentation: its name is in capitals, and it has no front matter'
  return path.split('/').length === 2 ? null : 'has no front matter and is not in a division'
}
