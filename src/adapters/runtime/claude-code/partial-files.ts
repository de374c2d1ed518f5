import type { Dirent } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * It writes a file beside its place first and moves it there. Killed in between, it leaves that behind, and since
 * whatever lies in a clone is committed in the end, it would become part of the work. Nobody may be at work in there.
 */
export async function removeHalfWritten(directory: string): Promise<void> {
  for (const entry of await entriesOf(directory)) {
    const path = join(directory, entry.name)
    if (entry.isDirectory() && !untouched.has(entry.name)) await removeHalfWritten(path)
    if (entry.isFile() && halfWritten.test(entry.name)) await rm(path, { force: true })
  }
}

/** `<name>.tmp.<process>.<twelve random digits>` */
const halfWritten = /.\.tmp\.\d+\.[0-9a-f]{12}$/

/** It writes there by other programs only, and there is much of it. */
const untouched: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/** What cannot be read, or is gone, has nothing for us. */
const entriesOf = (directory: string): Promise<Dirent[]> => readdir(directory, { withFileTypes: true }).catch(() => [])
