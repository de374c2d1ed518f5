import { constants, type Dirent } from 'node:fs'
import { type FileHandle, lstat, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { refusal } from '../kernel/errors.ts'

/** A personality is a page; a longer text has another purpose, and every word of it is paid for at each launch. */
export const maxFileBytes = 256 * 1024
export const maxFiles = 5_000
/** The whole pool is held in memory. */
export const maxPoolBytes = 64 * 1024 * 1024
/** The limit of all files and folders, so that a home directory given by mistake is not walked to its end. */
const maxEntries = 100_000
const maxDepth = 12

export interface Skipped {
  /** Relative to the walked folder. */
  path: string
  reason: string
}

export interface Found {
  /** Relative to the walked folder, with `/` as separator. */
  paths: string[]
  skipped: Skipped[]
}

/** Finds Markdown files below a folder, ordered by name. Links are not followed, so the walk stays inside and ends. */
export async function findMarkdown(root: string, isSkipped: (folder: string) => boolean): Promise<Found> {
  const found: Found = { paths: [], skipped: [] }
  let visited = 0
  const walk = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await entriesOf(join(root, folder))) {
      if (++visited > maxEntries) throw tooLarge(root, `more than ${maxEntries} files and folders`)
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      const isMarkdown = entry.name.toLowerCase().endsWith('.md')
      if (entry.isDirectory()) {
        if (isSkipped(entry.name)) continue
        if (depth < maxDepth) await walk(path, depth + 1)
        else found.skipped.push({ path, reason: `is more than ${maxDepth} folders deep` })
      } else if (entry.isSymbolicLink()) found.skipped.push({ path, reason: 'is a link; links are not followed' })
      else if (isMarkdown && entry.isFile()) found.paths.push(path)
      else if (isMarkdown) found.skipped.push({ path, reason: 'is not a file' })
      if (found.paths.length > maxFiles) throw tooLarge(root, `more than ${maxFiles} Markdown files`)
    }
  }
  await walk('', 0)
  return found
}

/** Returns the text of a file, or the reason why it is unusable. */
export async function readMarkdown(path: string): Promise<{ text: string; bytes: number } | { reason: string }> {
  let file
  try {
    // Opens neither a link that has appeared since the walk nor, blocking, a pipe without a writer.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const found = await file.stat()
    // A team file may name any path: a device has no size and no end.
    if (!found.isFile()) return { reason: 'is not a file' }
    const bytes = await readUpTo(file, maxFileBytes + 1)
    if (bytes.length > maxFileBytes) return { reason: `is larger than ${maxFileBytes / 1024} KB` }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? { reason: 'is not text' } : { text, bytes: bytes.length }
  } catch (error) {
    return { reason: error instanceof TypeError ? 'is not UTF-8 text' : `cannot be read: ${(error as Error).message}` }
  } finally {
    await file?.close()
  }
}

/** Reads the beginning of a file: its size, which files of /proc do not tell and which may grow, limits nothing. */
async function readUpTo(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(maxBytes)
  let length = 0
  while (length < maxBytes) {
    const { bytesRead } = await file.read(buffer, length, maxBytes - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

/** Reports whether the path is a folder or a link to one. */
export const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

export const isDirectory = async (path: string): Promise<boolean> => {
  try {
    return (await lstat(path)).isDirectory()
  } catch {
    return false
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

const tooLarge = (root: string, content: string) =>
  refusal('too_large', `${root} contains ${content}; nothing was imported from it`, {
    hint: 'Give a folder that contains only personalities.',
  })
