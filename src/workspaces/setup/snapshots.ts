import { mkdir, mkdtemp, readFile, rename, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { diskUseOf } from '../box/disk.ts'
import { copyPaths, copyTree } from '../copy-tree.ts'
import { removeTree } from '../remove-tree.ts'
import type { Changes } from './changes.ts'
import { whileInUse } from './in-use.ts'

/** The kept result of an installation: the files that it wrote, and those that it removed. */
interface About {
  readonly removed: readonly string[]
  readonly sizeMb: number
}

interface Copying {
  readonly launchId: string
  readonly nowMs: number
  readonly signal?: AbortSignal | undefined
}

/** Brings a snapshot into a clean clone; resolves to false if there is none. */
export const restoreSnapshot = (path: string, into: string, { nowMs, ...copying }: Copying): Promise<boolean> =>
  whileInUse(path, async () => {
    const about = await aboutOf(path)
    if (about === null) return false
    await markUsed(path, nowMs)
    for (const name of about.removed) await removeTree(join(into, name))
    await copyTree({ from: join(path, 'files'), into, sizeMb: about.sizeMb, ...copying })
    return true
  })

/** Keeps the changes of a checkout as a snapshot, which is complete as soon as it has its name. */
export async function saveSnapshot(
  path: string,
  from: string,
  { written, removed, isRepositoryChanged }: Changes,
  { nowMs, ...copying }: Copying,
): Promise<void> {
  // The repository is not a part of the snapshot: files that need its changes would find it without them.
  if (isRepositoryChanged) return
  // A file in the place of a directory, or the opposite, cannot be copied over a clean clone.
  if (removed.some((name) => written.some((each) => name.startsWith(`${each}/`)))) return
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
  const making = await mkdtemp(`${path}.making-`)
  try {
    const files = join(making, 'files')
    await mkdir(files, { mode: 0o700 })
    await copyPaths(written, { from, into: files, ...copying })
    const about: About = { removed, sizeMb: Math.ceil(await diskUseOf([files])) }
    await writeFile(join(making, 'about.json'), JSON.stringify(about))
    await markUsed(making, nowMs)
    await rename(making, path)
  } catch (error) {
    await removeTree(making)
    // Another checkout has kept the same result at the same time.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Records the use of a snapshot or a cache, so that it is not removed as unused. */
export const markUsed = (path: string, nowMs: number): Promise<void> => utimes(path, nowMs / 1_000, nowMs / 1_000)

export const aboutOf = async (path: string): Promise<About | null> => {
  const text = await readFile(join(path, 'about.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return text === null ? null : (JSON.parse(text) as About)
}
