import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'

import { refusal } from '../kernel/errors.ts'
import { namesInside } from './path.ts'
import type { Look, WorkspaceFile } from './port.ts'
import { textOf } from './text.ts'

/** An agent can create a sparse file of terabytes at no cost; hashing it would take hours. */
export const maxFileBytes = 4 * 1024 ** 3

/** The bytes of all files that one examination reads: an agent can name one file of many gigabytes 500 times. */
export const maxLookBytes = 2 * maxFileBytes

/** Creates the look of one examination at files. */
export const createLook = (signal?: AbortSignal): Look => ({ signal, remainingBytes: maxLookBytes, hashed: new Map() })

export async function readInside(
  root: string,
  path: string,
  maxBytes: number,
  look: Look = createLook(),
): Promise<WorkspaceFile | null> {
  if (!namesInside(path)) return null
  look.signal?.throwIfAborted()
  const handle = await openInside(root, path)
  if (handle === null) return null
  try {
    const facts = await handle.stat({ bigint: true })
    const size = Number(facts.size)
    const version = [facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(' ')
    const known = maxBytes === 0 ? look.hashed.get(version) : undefined
    if (size > maxFileBytes || (known === undefined && size > look.remainingBytes)) return null
    if (known === undefined) look.remainingBytes -= size
    const file = known ?? (await readAndHash(handle, size, maxBytes, look.signal))
    if (maxBytes === 0) look.hashed.set(version, file)
    const linksTo = await linkOf(root, path)
    return linksTo === null ? file : { ...file, linksTo }
  } finally {
    await handle.close()
  }
}

/** Resolves to null if the path leads through no link; a file that has vanished meanwhile counts as linked. */
async function linkOf(root: string, path: string): Promise<string | null> {
  const real = await realpath(join(root, path)).catch(() => '')
  return real === join(root, path) ? null : real.slice(root.length + 1)
}

export async function writeInside(root: string, path: string, text: string): Promise<void> {
  if (!namesInside(path)) throw outside(path)
  const target = join(root, path)
  const parent = await makeDirectory(root, dirname(target))
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(join(parent, basename(target)), flags, 0o600).catch((error: unknown) => {
    throw unwritable(path, error)
  })
  try {
    if (!(await handle.stat()).isFile()) throw refusal('invalid_input', `cannot write "${path}": not a regular file`)
    await handle.truncate(0)
    await handle.writeFile(text)
  } finally {
    await handle.close()
  }
}

const outside = (path: string) => refusal('invalid_input', `"${path}" leads outside the workspace`)

const unwritable = (path: string, error: unknown) =>
  refusal('invalid_input', `cannot write "${path}": ${(error as NodeJS.ErrnoException).code}`, { cause: error })

/**
 * Opens a file without blocking, so that a FIFO or a device cannot hang us; null unless it is a regular file inside the
 * root.
 */
export async function openInside(root: string, path: string): Promise<FileHandle | null> {
  try {
    const real = await realpath(join(root, path))
    if (!isBelow(root, real)) return null
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if ((await handle.stat()).isFile() && (await isStillBelow(root, handle))) return handle
    await handle.close()
    return null
  } catch (error) {
    if (unreadable.has((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

const unreadable = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'EACCES',
  'EPERM',
  'ENAMETOOLONG',
  'ENXIO',
  'ENODEV',
])

const isBelow = (root: string, real: string): boolean => real.startsWith(root + sep)

/**
 * Checks the file that was really opened, which Linux reports: a directory of the path may have become a link since it
 * was resolved.
 */
async function isStillBelow(root: string, handle: FileHandle): Promise<boolean> {
  if (process.platform !== 'linux') return true
  return isBelow(root, await realpath(`/proc/self/fd/${handle.fd}`))
}

/** Reads up to the size at the start: a file that grows as fast as it is read would never end. */
async function readAndHash(
  handle: FileHandle,
  size: number,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<WorkspaceFile> {
  const hash = createHash('sha256')
  const head: Buffer[] = []
  let bytes = 0
  const chunk = Buffer.allocUnsafe(Math.min(size, 256 * 1024) || 1)
  while (bytes < size) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, size - bytes), bytes)
    if (bytesRead === 0) break
    const part = chunk.subarray(0, bytesRead)
    hash.update(part)
    // One byte more than requested distinguishes a complete text from a cut one.
    if (bytes <= maxBytes) head.push(Buffer.from(part.subarray(0, maxBytes + 1 - bytes)))
    bytes += bytesRead
  }
  return { bytes, sha256: hash.digest('hex'), text: textOf(Buffer.concat(head), maxBytes) }
}

/** Resolves the directory and its links; creates missing parts, but never through a link that leads outside. */
async function makeDirectory(root: string, directory: string): Promise<string> {
  const name = directory.slice(root.length + 1)
  const found = await realpath(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw unwritable(name, error)
  })
  if (found !== null) {
    if (found !== root && !isBelow(root, found)) throw outside(name)
    return found
  }
  if (directory === root) throw refusal('not_found', 'the workspace no longer exists')
  const made = join(await makeDirectory(root, dirname(directory)), basename(directory))
  // Two writers may create it at once; a dangling link, which also "exists", is refused when the file is opened.
  await mkdir(made).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw unwritable(name, error)
  })
  return made
}
