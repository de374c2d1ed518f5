import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The files of a clean clone. */
export interface Baseline {
  readonly paths: ReadonlySet<string>
  /** When git had written the last of them. */
  readonly writtenMs: number
}

/** The difference of a checkout from its baseline. */
export interface Changes {
  /** Files and directories that are new, the latter with everything in them, and files that were changed. */
  readonly written: readonly string[]
  readonly removed: readonly string[]
  /** The repository itself was changed, by a submodule that was fetched for example; its index does not count. */
  readonly isRepositoryChanged: boolean
}

/** Records all files except the repository's own. Git writes its index last. */
export async function takeBaseline(root: string): Promise<Baseline> {
  const paths = new Set<string>()
  await walk(root, '', async (path) => {
    paths.add(path)
    return true
  })
  return { paths, writtenMs: (await lstat(join(root, '.git', 'index'))).ctimeMs }
}

/** Finds all differences. A changed file is one with a later change of its inode, which no program can set back. */
export async function findChanges(root: string, { paths, writtenMs }: Baseline): Promise<Changes> {
  const written: string[] = []
  const found = new Set<string>()
  await walk(root, '', async (path, isDirectory) => {
    found.add(path)
    if (!paths.has(path)) {
      written.push(path)
      return false
    }
    if (!isDirectory && (await lstat(join(root, path))).ctimeMs > writtenMs) written.push(path)
    return true
  })
  const removed = [...paths].filter((path) => !found.has(path))
  return { written, removed, isRepositoryChanged: await isChangedSince(join(root, '.git'), writtenMs) }
}

async function isChangedSince(repository: string, writtenMs: number): Promise<boolean> {
  const entries = await readdir(repository, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name))
  for (const file of files)
    if (file !== join(repository, 'index') && (await lstat(file)).ctimeMs > writtenMs) return true
  return false
}

/** Reports whether files of the commit itself were changed or removed, through a link for example. */
export const touchesCommit = ({ written, removed }: Changes, { paths }: Baseline): boolean =>
  removed.length > 0 || written.some((path) => paths.has(path))

async function walk(
  root: string,
  folder: string,
  visit: (path: string, isDirectory: boolean) => Promise<boolean>,
): Promise<void> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (path === '.git') continue
    if ((await visit(path, entry.isDirectory())) && entry.isDirectory()) await walk(root, path, visit)
  }
}
