import { chmod, lstat, mkdir, opendir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

import type { Guarded } from './guarded.ts'
import { removeTree } from './remove-tree.ts'

/** Contents beyond this total are not kept in the snapshot: Agency's own files are few and small. */
const maxSnapshotBytes = 4 * 1024 * 1024

const maxReported = 100

/**
 * Takes a snapshot of guarded directories of a workspace, and makes them read-only for processes that respect modes.
 */
export async function snapshotGuarded(
  workspace: string,
  guarded: readonly Guarded[],
): Promise<{ restore(): Promise<string[]> }> {
  const before = await contentsOf(workspace, guarded)
  for (const { path } of guarded) await chmod(join(workspace, path), 0o555).catch(() => {})
  return {
    /** Restores every file that was changed in the meantime; resolves to their sorted names. */
    restore: async () => {
      for (const { path } of guarded) await restoreDirectory(join(workspace, path))
      const after = await contentsOf(workspace, guarded)
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (name) => !isSame(before.get(name), after.get(name)),
      )
      // A directory before the files in it.
      for (const name of changed.sort()) await restoreEntry(join(workspace, name), before.get(name))
      return changed.slice(0, maxReported)
    },
  }
}

interface Entry {
  /** Null: it is no file, or one of those whose contents are not kept. */
  readonly content: Buffer | null
  readonly mode: number
  /**
   * Tells whether something else is there, or a file whose content is not kept was written: no program can choose the
   * time of the last change.
   */
  readonly facts: string
  readonly isDirectory: boolean
}

const isSame = (a: Entry | undefined, b: Entry | undefined): boolean => {
  if (a === undefined || b === undefined || a.isDirectory !== b.isDirectory) return false
  if (a.isDirectory) return true
  return a.content !== null && b.content !== null ? a.content.equals(b.content) : a.facts === b.facts
}

/** Reads all entries except those of open directories, which belong to the agent. */
async function contentsOf(workspace: string, guarded: readonly Guarded[]): Promise<Map<string, Entry>> {
  const contents = new Map<string, Entry>()
  const open = new Set(guarded.flatMap((each) => each.open))
  let bytes = 0
  const pending = guarded.map(({ path }) => join(workspace, path))
  for (let path = pending.shift(); path !== undefined; path = pending.shift()) {
    const directory = await opendir(path).catch(() => null)
    if (directory === null) continue
    for await (const entry of directory) {
      const entryPath = join(path, entry.name)
      const name = relative(workspace, entryPath)
      if (open.has(name)) continue
      const stats = await lstat(entryPath, { bigint: true }).catch(() => null)
      if (stats === null) continue
      if (stats.isDirectory()) pending.push(entryPath)
      const isKept = stats.isFile() && bytes + Number(stats.size) <= maxSnapshotBytes
      if (isKept) bytes += Number(stats.size)
      contents.set(name, {
        content: isKept ? await readFile(entryPath).catch(() => null) : null,
        mode: Number(stats.mode & 0o777n),
        facts: [stats.dev, stats.ino, stats.mode, stats.size, stats.ctimeNs].join(' '),
        isDirectory: stats.isDirectory(),
      })
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

/** A file whose content is not kept is removed: a handed-over one is laid again for the next attempt. */
async function restoreEntry(path: string, before: Entry | undefined): Promise<void> {
  await removeTree(path)
  if (before === undefined || (before.content === null && !before.isDirectory)) return
  await mkdir(before.isDirectory ? path : dirname(path), { recursive: true, mode: 0o700 })
  if (before.content !== null) await writeFile(path, before.content, { mode: before.mode })
}
