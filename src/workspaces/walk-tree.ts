import { constants, type Dirent } from 'node:fs'
import { chmod, type FileHandle, open, opendir } from 'node:fs/promises'

/** Something in a directory; the path leads to it as long as the call lasts to which it is handed. */
export interface TreeEntry {
  readonly path: Buffer
  readonly isDirectory: boolean
}

export interface TreeVisitor {
  /** The permissions of its owner that a directory gets back if it lacks them: to read it, or to change it too. */
  readonly needs: 0o500 | 0o700
  /** Entries of one directory, not in any order; returns false to end the walk. */
  readonly found?: (entries: readonly TreeEntry[]) => Promise<boolean>
  /** A directory whose content was visited; returns true to visit it again. */
  readonly left?: (path: Buffer) => Promise<boolean>
}

/**
 * Visits everything below a directory, from directory to directory by descriptors: a path from the root would be too long
 * for the system at 4,096 bytes. No link is followed, names may have any bytes, and a directory from which its owner took
 * the permissions gets them back. Only one descriptor stays open, so the depth has no limit. A directory that is moved
 * away during the walk is left out. Resolves to false if it was ended early or the root cannot be read.
 */
export async function walkTree(root: string | Buffer, { needs, found, left }: TreeVisitor): Promise<boolean> {
  const openChild = (path: Buffer): Promise<FileHandle> => openDirectory(path, needs)
  const start = Buffer.from(root as Buffer)
  const first = await openChild(start).catch(ignoreMissing)
  if (first === null) return false
  let current: FileHandle = first
  const levels: Level[] = [{ name: start, ...(await identityOf(current)), pending: null }]
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      if (level.pending === null) {
        const directories = await list(current, found)
        if (directories === null) return false
        level.pending = directories
      }
      const name = level.pending.pop()
      if (name !== undefined) {
        const child: FileHandle | null = await openChild(below(current, name)).catch(ignoreMissing)
        if (child === null) continue
        levels.push({ name, ...(await identityOf(child)), pending: null })
        await current.close()
        current = child
        continue
      }
      levels.pop()
      const above = levels.at(-1)
      const parent = await reopen(current, levels, openChild)
      if (parent === null) return true
      await current.close()
      current = parent
      const isBack = above === levels.at(-1)
      if (isBack && (await left?.(below(current, level.name))) === true) above?.pending?.push(level.name)
    }
    return true
  } finally {
    await current.close()
  }
}

interface Level {
  readonly name: Buffer
  readonly dev: bigint
  readonly ino: bigint
  /** The names of directories that are still to be visited; null: it was not listed yet. */
  pending: Buffer[] | null
}

type OpenChild = (path: Buffer) => Promise<FileHandle>

const atOnce = 64

/** Hands over the entries of a directory; resolves to the names of the directories among them, or null to end. */
async function list(directory: FileHandle, found: TreeVisitor['found']): Promise<Buffer[] | null> {
  const names: Buffer[] = []
  let entries: TreeEntry[] = []
  const handOver = async (): Promise<boolean> => {
    const batch = entries
    entries = []
    return batch.length === 0 || found === undefined || (await found(batch))
  }
  // The type of Node's own declaration knows only names that are text.
  const listing = (await opendir(pathOf(directory), { encoding: 'buffer' as BufferEncoding, bufferSize: 256 }).catch(
    ignoreMissing,
  )) as AsyncIterable<Dirent<Buffer>> | null
  for await (const entry of listing ?? []) {
    const isDirectory = entry.isDirectory()
    if (isDirectory) names.push(entry.name)
    entries.push({ path: below(directory, entry.name), isDirectory })
    if (entries.length >= atOnce && !(await handOver())) return null
  }
  return (await handOver()) ? names : null
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
/** Node has no name for it: a descriptor that only names a file needs no permission on the file. */
const O_PATH = 0o10_000_000
const onlyDirectories = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

/** Opens a directory; one of the own user that has lost its permissions gets them back. */
export async function openDirectory(path: Buffer | string, needs: TreeVisitor['needs']): Promise<FileHandle> {
  try {
    const handle = await open(path, onlyDirectories)
    // Root may read every directory, so it changes none for that.
    if ((needs === 0o500 && process.getuid?.() === 0) || ((await handle.stat()).mode & needs) === needs) return handle
    await handle.close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
  }
  // A change by the path could reach another file, because the directory may be replaced by a link at any time.
  const named = await open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW)
  try {
    await chmod(pathOf(named), ((await named.stat()).mode & 0o7777) | needs)
    return await open(pathOf(named), O_RDONLY | O_DIRECTORY)
  } finally {
    await named.close()
  }
}

/** Resolves to the directory above, which was moved if it is another one than before; null: nothing is left to visit. */
async function reopen(current: FileHandle, levels: Level[], openChild: OpenChild): Promise<FileHandle | null> {
  const above = levels.at(-1)
  if (above === undefined) return null
  const parent = await openChild(below(current, Buffer.from('..'))).catch(ignoreMissing)
  if (parent !== null && isAt(above, await identityOf(parent))) return parent
  await parent?.close()
  return openAgain(levels, openChild)
}

/** Opens the deepest of the directories that is still in its place, from the root on; drops those that are not. */
async function openAgain(levels: Level[], openChild: OpenChild): Promise<FileHandle | null> {
  let handle: FileHandle | null = null
  for (const [depth, level] of levels.entries()) {
    const path: Buffer = handle === null ? level.name : below(handle, level.name)
    const next: FileHandle | null = await openChild(path).catch(ignoreMissing)
    if (next === null || !isAt(level, await identityOf(next))) {
      await next?.close()
      levels.length = depth
      return handle
    }
    await handle?.close()
    handle = next
  }
  return handle
}

const isAt = (level: Level, { dev, ino }: Pick<Level, 'dev' | 'ino'>): boolean => level.dev === dev && level.ino === ino

async function identityOf(handle: FileHandle): Promise<Pick<Level, 'dev' | 'ino'>> {
  const { dev, ino } = await handle.stat({ bigint: true })
  return { dev, ino }
}

const pathOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`

const below = (directory: FileHandle, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${pathOf(directory)}/`), name])

/** A directory may be removed, or become something else, at any time. */
function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM'].includes(error.code ?? '')) return null
  throw error
}
