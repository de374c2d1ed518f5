import { chmod, lstat, mkdir, opendir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

import { agencyDirectory, outbox } from './path.ts'

/** More of it than this is not remembered: it is a few small files of ours. */
const largestBytes = 4 * 1024 * 1024

const mostTold = 100

/** Agency's own files in a workspace as they are now; closed to writing, for whoever heeds that. */
export async function snapshotAgencyFiles(workspace: string): Promise<{ putBack(): Promise<string[]> }> {
  const root = join(workspace, agencyDirectory)
  const before = await contentsOf(workspace, root)
  await chmod(root, 0o555).catch(() => {})
  return {
    /** Names of what was changed meanwhile, in order; all of it is again as it was. */
    putBack: async () => {
      await restoreDirectory(root)
      const after = await contentsOf(workspace, root)
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (name) => !isSame(before.get(name), after.get(name)),
      )
      for (const name of changed) await restore(join(workspace, name), before.get(name))
      return changed.sort().slice(0, mostTold)
    },
  }
}

type Content = Buffer | 'directory' | 'other'

const isSame = (a: Content | undefined, b: Content | undefined): boolean =>
  Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : a === b

/** The outbox is the agent's own. */
async function contentsOf(workspace: string, root: string): Promise<Map<string, Content>> {
  const found = new Map<string, Content>()
  let bytes = 0
  const waiting = [root]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const directory = await opendir(path).catch(() => null)
    if (directory === null) continue
    for await (const entry of directory) {
      const place = join(path, entry.name)
      const name = relative(workspace, place)
      if (name === outbox) continue
      const size = entry.isFile() ? ((await lstat(place).catch(() => null))?.size ?? 0) : 0
      if (entry.isDirectory()) waiting.push(place)
      bytes += size
      const content = entry.isFile() && bytes <= largestBytes ? await readFile(place).catch(() => null) : null
      found.set(name, entry.isDirectory() ? 'directory' : (content ?? 'other'))
    }
  }
  return found
}

async function restoreDirectory(root: string): Promise<void> {
  const found = await lstat(root).catch(() => null)
  if (found !== null && !found.isDirectory()) await rm(root, { force: true })
  await mkdir(root, { recursive: true, mode: 0o700 })
  await chmod(root, 0o700)
}

async function restore(path: string, content: Content | undefined): Promise<void> {
  if (content === 'other') return
  await rm(path, { recursive: true, force: true })
  if (content === undefined) return
  await mkdir(content === 'directory' ? path : dirname(path), { recursive: true, mode: 0o700 })
  if (content !== 'directory') await writeFile(path, content, { mode: 0o600 })
}
