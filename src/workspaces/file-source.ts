import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

import { refusal } from '../kernel/errors.ts'
import { openInside } from './files.ts'
import { namesInside } from './path.ts'
import type { FileSource } from './port.ts'

const partBytes = 256 * 1024

/** Opens a regular file below the root; null if there is none, or if a link leads outside. */
export const sourceInside = async (root: string, path: string): Promise<FileSource | null> =>
  namesInside(path) ? sourceOf(() => openInside(root, path), path) : null

/** Opens a file of our own; null if it does not exist. */
export const sourceAt = (path: string): Promise<FileSource | null> =>
  sourceOf(async () => {
    try {
      return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }, path)

export const sourceOfBytes = (bytes: Buffer): FileSource => ({
  bytes: bytes.length,
  async *read(from = 0, to = bytes.length) {
    if (from < Math.min(to, bytes.length)) yield bytes.subarray(from, to)
  },
})

/**
 * Each reading opens the file again, so that a reader that never begins leaves no file open. Its version is compared at
 * both ends: an agent may write to it meanwhile.
 */
async function sourceOf(openFile: () => Promise<FileHandle | null>, path: string): Promise<FileSource | null> {
  const first = await openFile()
  if (first === null) return null
  const { bytes, version } = await factsOf(first).finally(() => first.close())
  return {
    bytes,
    async *read(from = 0, to = bytes) {
      const handle = await openFile()
      if (handle === null) throw changed(path)
      try {
        if ((await factsOf(handle)).version !== version) throw changed(path)
        const end = Math.min(to, bytes)
        for (let at = from; at < end;) {
          // A part of its own for each turn: the reader may keep it.
          const part = Buffer.allocUnsafe(Math.min(partBytes, end - at))
          const { bytesRead } = await handle.read(part, 0, part.length, at)
          if (bytesRead === 0) throw changed(path)
          at += bytesRead
          if (at >= end && (await factsOf(handle)).version !== version) throw changed(path)
          yield part.subarray(0, bytesRead)
        }
      } finally {
        await handle.close()
      }
    },
  }
}

async function factsOf(handle: FileHandle): Promise<{ bytes: number; version: string }> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true })
  return { bytes: Number(size), version: [dev, ino, size, mtimeNs, ctimeNs].join(' ') }
}

const changed = (path: string) => refusal('conflict', `"${path}" was changed while it was read`, { hint: 'Try again.' })
