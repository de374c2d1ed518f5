import type { Dirent } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Claude Code writes a file under a temporary name first and then renames it. Killed in between, it leaves the temporary
 * file behind, and since every file of a clone is committed in the end, it would become part of the work. No process may
 * be working in the directory meanwhile.
 */
export async function removePartialFiles(directory: string): Promise<void> {
  for (const entry of await entriesOf(directory)) {
    const path = join(directory, entry.name)
    if (entry.isDirectory() && !skipped.has(entry.name)) await removePartialFiles(path)
    if (entry.isFile() && partialFile.test(entry.name)) await rm(path, { force: true })
  }
}

/** `<name>.tmp.<process>.<twelve random digits>` */
const partialFile = /.\.tmp\.\d+\.[0-9a-f]{12}$/

/** Claude Code writes there only through other programs, and these directories are large. */
const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/** A directory that cannot be read, or is gone, counts as empty. */
const entriesOf = (directory: string): Promise<Dirent[]> => readdir(directory, { withFileTypes: true }).catch(() => [])
