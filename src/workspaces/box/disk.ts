import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** What these directories occupy, in MB. Links count for themselves, a file of several names once, holes not at all. */
export async function diskUseOf(directories: readonly string[], mostFiles = 1_000_000): Promise<number> {
  const seen = new Set<string>()
  const waiting = [...directories]
  let blocks = 0
  let files = 0
  for (let path = waiting.pop(); path !== undefined && files < mostFiles; path = waiting.pop()) {
    try {
      for await (const entry of await opendir(path)) {
        files += 1
        const name = join(path, entry.name)
        const found = await lstat(name).catch(() => null)
        if (found === null) continue
        const identity = `${found.dev}:${found.ino}`
        if (found.nlink > 1 && !entry.isDirectory() && seen.has(identity)) continue
        if (found.nlink > 1) seen.add(identity)
        blocks += found.blocks
        if (entry.isDirectory()) waiting.push(name)
        if (files >= mostFiles) break
      }
    } catch {
      // Removed while we looked.
    }
  }
  return (blocks * 512) / (1024 * 1024)
}
