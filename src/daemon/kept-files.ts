import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, statfs, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { randomToken } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import type { KeptFiles } from '../work/artifacts/kept-files.ts'
import { sourceAt } from '../workspaces/file-source.ts'

/** The store and the agents need the rest of the disk more than a second copy of a file. */
const freeBytes = 1024 ** 3

/** Keeps files as `<root>/<first two digits>/<sha256>`, each content once. */
export function createKeptFiles(root: string, log: Pick<Log, 'warn'>): KeptFiles {
  const pathOf = (sha256: string): string => {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`"${sha256}" is not a hash`)
    return join(root, sha256.slice(0, 2), sha256)
  }
  return {
    async keep(sha256, source) {
      const path = pathOf(sha256)
      const size = await stat(path).then(
        (found) => found.size,
        () => null,
      )
      if (size === source.bytes) return true
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        const { bavail, bsize } = await statfs(root)
        if (bavail * bsize - source.bytes < freeBytes) return false
        return await write(path, sha256, source.read())
      } catch (error) {
        // Without its copy the file can still be read in its workspace: no work is lost.
        log.warn('a produced file was not kept', { sha256, error: String(error) })
        return false
      }
    },
    open: (sha256) => sourceAt(pathOf(sha256)),
  }
}

/** A file gets its name when it is whole: a daemon that dies in between leaves a draft, which is removed a day later. */
async function write(path: string, sha256: string, content: AsyncIterable<Buffer>): Promise<boolean> {
  const draft = `${path}.${randomToken().slice(0, 8)}`
  const hash = createHash('sha256')
  const handle = await open(draft, 'wx', 0o400)
  try {
    for await (const part of content) {
      hash.update(part)
      await handle.writeFile(part)
    }
    if (hash.digest('hex') !== sha256) return false
    await handle.close()
    await rename(draft, path)
    return true
  } finally {
    await handle.close()
    await rm(draft, { force: true })
  }
}

const dayMs = 24 * 3_600_000

/** Removes drafts that no daemon writes any more. Resolves to their number. */
export async function removeDrafts(root: string, nowMs: number): Promise<number> {
  let removed = 0
  for (const folder of await namesIn(root))
    for (const name of await namesIn(join(root, folder))) {
      if (!/^[0-9a-f]{64}\./.test(name)) continue
      const path = join(root, folder, name)
      // A draft may get its name, or be removed, meanwhile.
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: nowMs }))
      if (nowMs - mtimeMs < dayMs) continue
      await rm(path, { force: true })
      removed += 1
    }
  return removed
}

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
