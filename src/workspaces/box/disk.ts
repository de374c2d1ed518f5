import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns the disk use of directories, in MB. A link counts by its own size, a file with several names once, holes not
 * at all.
 */
export async function diskUseOf(directories: readonly string[], maxFiles = 1_000_000): Promise<number> {
  const seen = new Set<string>()
  const pending = [...directories]
  let blocks = 0
  let files = 0
  for (let path = pending.pop(); path !== undefined && files < maxFiles; path = pending.pop()) {
    try {
      for await (const entry of await opendir(path)) {
        files += 1
        const name = join(path, entry.name)
        const stats = await lstat(name).catch(() => null)
        if (stats === null) continue
        const identity = `${stats.dev}:${stats.ino}`
        if (stats.nlink > 1 && !entry.isDirectory() && seen.has(identity)) continue
        if (stats.nlink > 1) seen.add(identity)
        blocks += stats.blocks
        if (entry.isDirectory()) pending.push(name)
        if (files >= maxFiles) break
      }
    } catch {
      // Removed during the measurement.
    }
  }
  return (blocks * 512) / (1024 * 1024)
}
