import { slug } from '../kernel/text.ts'

/** What lies beside personalities in the collections that people share. */
const otherFolders = new Set(['integrations', 'examples', 'scripts', 'node_modules'])

/** Folders that are not even looked into. */
export const isLeftOut = (folder: string): boolean => folder.startsWith('.') || otherFolders.has(folder.toLowerCase())

export const stemOf = (path: string): string => (path.split('/').at(-1) ?? '').replace(/\.md$/i, '')

/** The first folder; a personality in none belongs everywhere. */
export const divisionOf = (path: string): string =>
  slug(path.includes('/') ? (path.split('/')[0] ?? '') : '') || 'general'

/**
 * Why a readable Markdown file is no personality, or null. Front matter makes one of every file; without it only a file
 * that lies where personalities lie and is not named as documentation is: README, CONTRIBUTING.
 */
export function reasonToLeave(path: string, hasFrontMatter: boolean): string | null {
  if (hasFrontMatter) return null
  if (/^[A-Z0-9_. -]+$/.test(stemOf(path))) return 'is documentation: a name in capitals, and no front matter'
  return path.split('/').length === 2 ? null : 'has no front matter, and does not lie in a division'
}
