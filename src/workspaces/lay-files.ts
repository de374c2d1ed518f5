import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { copyFile, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import {
  changed,
  faultOfName,
  gone,
  maxHandedBytes,
  maxHandedFiles,
  missing,
  notRegular,
  refused,
  tooLarge,
  tooMany,
} from './handed-files.ts'
import type { HandedFile, Laid } from './port.ts'

/** A handed-over file with the directory of the workspace in which it was made; null: the workspace is gone. */
export interface FileToLay<File extends HandedFile> {
  readonly file: File
  readonly root: string | null
}

interface LayOptions {
  readonly maxBytes?: number | undefined
  /** The workspace in which the same file at the same path makes a copy needless. */
  readonly unlessIn?: string | undefined
}

/**
 * Copies files into `directory`, which is empty. Their makers are agents: no link is followed, nothing special is
 * opened, and the bytes that were laid are those that are hashed. It ends at the first file that cannot be handed over.
 */
export async function layFiles<File extends HandedFile>(
  directory: string,
  files: readonly FileToLay<File>[],
  options: LayOptions,
): Promise<Laid<File>> {
  const { maxBytes = maxHandedBytes, unlessIn } = options
  const laid: (File & { bytes: number })[] = []
  const made = new Set<string>()
  let bytes = 0
  // Files that a clone has already are none that are handed over.
  if (unlessIn === undefined && files.length > maxHandedFiles) return tooMany(files.length)
  for (const [index, { file, root }] of files.entries()) {
    if (index % atOnce === atOnce - 1) await letOthersRun()
    const fault = faultOfName(file)
    if (fault !== null) return refused(file, fault)
    const own = unlessIn === undefined ? 'none' : await versionIn(unlessIn, file)
    if (own === 'accepted') continue
    const isNeedless = own === 'another' || (unlessIn !== undefined && file.mayBeGone === true)
    const from = root === null ? gone : openRegular(root, file.path)
    if (typeof from === 'string') {
      if (isNeedless || (root !== null && file.mayBeGone === true)) continue
      return refused(file, from)
    }
    try {
      if (laid.length === maxHandedFiles) return tooMany(files.length)
      bytes += from.bytes
      if (bytes > maxBytes) return refused(file, tooLarge(from.bytes, maxBytes))
      const target = join(directory, file.folder, file.path)
      const why = makeDirectory(made, dirname(target)) ?? (await copyTo(target, from, file.sha256))
      if (why === changed && isNeedless) {
        bytes -= from.bytes
        rmSync(target, { force: true })
        continue
      }
      if (why !== null) return refused(file, why)
      laid.push({ ...file, bytes: from.bytes })
    } finally {
      closeSync(from.fd)
    }
  }
  return { files: laid }
}

/** Small files are read one after the other, which takes a fifth of the time; others may run in between. */
const atOnce = 32
const smallBytes = 1024 * 1024
const letOthersRun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface Source {
  readonly fd: number
  readonly bytes: number
}

/** Opens a file without blocking; the opened file is checked, because its path may lead elsewhere by now. */
function openRegular(root: string, path: string): Source | string {
  const named = join(root, path)
  let fd: number
  try {
    fd = openSync(named, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return missing
    return ['ELOOP', 'ENXIO', 'ENODEV', 'EISDIR'].includes(code) ? notRegular : `it cannot be read (${code})`
  }
  const stats = fstatSync(fd)
  if (stats.isFile() && nameOf(fd, named) === named) return { fd, bytes: stats.size }
  closeSync(fd)
  return notRegular
}

/** Returns the path of the file that was really opened, which Linux reports. */
const nameOf = (fd: number, path: string): string =>
  process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync(path)

/**
 * Tells which version of a file a clone has: the accepted one, as a rule, of a merged file; another one if a later brief
 * has changed it. The maker's own file is no proof of what was merged: git may convert its lines for a checkout.
 */
async function versionIn(workspace: string, { path, sha256 }: HandedFile): Promise<'accepted' | 'another' | 'none'> {
  const own = openRegular(workspace, path)
  if (typeof own === 'string') return 'none'
  try {
    return own.bytes <= maxHandedBytes && (await hashOf(own)) === sha256 ? 'accepted' : 'another'
  } finally {
    closeSync(own.fd)
  }
}

function makeDirectory(made: Set<string>, path: string): string | null {
  if (made.has(path)) return null
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    return faultOfTarget(error)
  }
  made.add(path)
  return null
}

/** Copies an opened file; returns why it may not be handed over, or null. */
async function copyTo(target: string, from: Source, sha256: string): Promise<string | null> {
  try {
    if (from.bytes <= smallBytes) {
      const content = readAll(from)
      if (createHash('sha256').update(content).digest('hex') !== sha256) return changed
      writeFileSync(target, content, { flag: 'wx', mode: readOnly })
      return null
    }
    // A file system that can share the blocks of two files does so.
    await copyFile(`/proc/self/fd/${from.fd}`, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    const copy = await open(target, 'r')
    try {
      await copy.chmod(readOnly)
      return (await hashOf({ fd: copy.fd, bytes: (await copy.stat()).size })) === sha256 ? null : changed
    } finally {
      await copy.close()
    }
  } catch (error) {
    return faultOfTarget(error)
  }
}

const readOnly = 0o444

/** Returns why two files cannot lie side by side; any other error is a fault of the machine. */
function faultOfTarget(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'another file has its name'
  if (code === 'ENAMETOOLONG') return 'its name is too long'
  throw error
}

/** Reads up to the size at the start: a file that grows as fast as it is read would never end. */
function readAll({ fd, bytes }: Source): Buffer {
  const content = Buffer.allocUnsafe(bytes)
  let read = 0
  while (read < bytes) {
    const count = readSync(fd, content, read, bytes - read, read)
    if (count === 0) break
    read += count
  }
  return content.subarray(0, read)
}

async function hashOf({ fd, bytes }: Source): Promise<string> {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(Math.min(bytes, smallBytes) || 1)
  for (let read = 0; read < bytes;) {
    const count = readSync(fd, chunk, 0, Math.min(chunk.length, bytes - read), read)
    if (count === 0) break
    hash.update(chunk.subarray(0, count))
    read += count
    await letOthersRun()
  }
  return hash.digest('hex')
}
