import { chmod, lstat, mkdir, opendir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

import { agencyDirectory, outbox } from './path.ts'
import { removeTree } from './remove-tree.ts'

/** Contents beyond this total are not kept in the snapshot: Agency's own files are few and small. */
const maxSnapshotBytes = 4 * 1024 * 1024

const maxReported = 100

/**
 * Takes a snapshot of Agency's own files in a workspace, and makes their directory read-only for processes that respect
 * modes.
 */
export async function snapshotAgencyFiles(workspace: string): Promise<{ restore(): Promise<string[]> }> {
  const root = join(workspace, agencyDirectory)
  const before = await contentsOf(workspace, root)
  await chmod(root, 0o555).catch(() => {})
  return {
    /** Restores every file that was changed in the meantime; resolves to their sorted names. */
    restore: async () => {
      await restoreDirectory(root)
      const after = await contentsOf(workspace, root)
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (name) => !isSame(before.get(name), after.get(name)),
      )
      for (const name of changed) await restoreEntry(join(workspace, name), before.get(name))
      return changed.sort().slice(0, maxReported)
    },
  }
}

type Content = Buffer | 'directory' | 'other'

const isSame = (a: Content | undefined, b: Content | undefined): boolean =>
  Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : a === b

/** Reads all entries except the outbox, which belongs to the agent. */
async function contentsOf(workspace: string, root: string): Promise<Map<string, Content>> {
  const contents = new Map<string, Content>()
  let bytes = 0
  const pending = [root]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const directory = await opendir(path).catch(() => null)
    if (directory === null) continue
    for await (const entry of directory) {
      const entryPath = join(path, entry.name)
      const name = relative(workspace, entryPath)
      if (name === outbox) continue
      const size = entry.isFile() ? ((await lstat(entryPath).catch(() => null))?.size ?? 0) : 0
      if (entry.isDirectory()) pending.push(entryPath)
      bytes += size
      const content = entry.isFile() && bytes <= maxSnapshotBytes ? await readFile(entryPath).catch(() => null) : null
      contents.set(name, entry.isDirectory() ? 'directory' : (content ?? 'other'))
    }
  }
  return contents
}

async function restoreDirectory(root: string): Promise<void> {
  const stats = await lstat(root).catch(() => null)
  if (stats !== null && !stats.isDirectory()) await rm(root, { force: true })
  await mkdir(root, { recursive: true, mode: 0o700 })
  await chmod(root, 0o700)
}

async function restoreEntry(path: string, content: Content | undefined): Promise<void> {
  if (content === 'other') return
  await removeTree(path)
  if (content === undefined) return
  await mkdir(content === 'directory' ? path : dirname(path), { recursive: true, mode: 0o700 })
  if (content !== 'directory') await writeFile(path, content, { mode: 0o600 })
}
