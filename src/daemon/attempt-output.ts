import { open } from 'node:fs/promises'
import type { OutputPart } from '../work/attempts/files.ts'

/** Size of one response: some thousand lines, and no more than a browser can show at once. */
const partBytes = 256 * 1_024

/** Reads the part of a file that starts at byte `after`; if that is null, its end, from the start of a line. */
export async function readPart(path: string, after: number | null): Promise<OutputPart> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    // Nothing was printed yet, or the file was removed.
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (file === null) return partOf(Buffer.alloc(0), 0, 0, after)
  try {
    const { size } = await file.stat()
    const from = after === null ? Math.max(0, size - partBytes) : Math.min(after, size)
    const buffer = Buffer.alloc(Math.min(partBytes, size - from))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from)
    return partOf(buffer.subarray(0, bytesRead), from, size, after)
  } finally {
    await file.close()
  }
}

/** Returns whole characters only: half of one would be decoded to replacement characters. */
export function partOf(bytes: Buffer, from: number, size: number, after: number | null): OutputPart {
  const skipped = after === null && from > 0 ? bytes.indexOf('\n') + 1 : 0
  const end = wholeCharacters(bytes)
  return {
    from: from + skipped,
    text: bytes.toString('utf8', skipped, end),
    next: from + end,
    isAll: from + end >= size,
  }
}

function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    // If nothing else is left, the incomplete character is returned: there is no rest of it to wait for.
    return wanted > back && bytes.length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
