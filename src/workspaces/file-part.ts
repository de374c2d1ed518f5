import type { FilePart } from './file-part.contract.ts'

/** The size of one part of a file that is shown. */
export const maxPartBytes = 2_000_000

/** Describes the bytes that were read at `from`: as text in whole characters, or as base64. */
export function filePart({ path, bytes, from }: Pick<FilePart, 'path' | 'bytes' | 'from'>, part: Buffer): FilePart {
  const text = decodeText(part) ?? (from + part.length < bytes ? decodeText(wholeCharacters(part)) : null)
  const kept = text === null ? part.length : Buffer.byteLength(text)
  return {
    path,
    bytes,
    from,
    encoding: text === null ? 'base64' : 'utf8',
    content: text ?? part.toString('base64'),
    next: from + kept >= bytes || kept === 0 ? null : from + kept,
  }
}

/** Cuts a part of text after so many lines. */
export function firstLines(part: FilePart, lines: number): FilePart {
  if (part.encoding !== 'utf8') return part
  let end = 0
  for (let line = 0; line < lines; line += 1) {
    const at = part.content.indexOf('\n', end)
    if (at < 0) return part
    end = at + 1
  }
  if (end === part.content.length) return part
  const content = part.content.slice(0, end)
  return { ...part, content, next: part.from + Buffer.byteLength(content) }
}

/** Decodes UTF-8; null if the bytes are not text. */
function decodeText(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Removes an incomplete character at the end: every byte of a character but the first is 10xxxxxx. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && ((bytes[end - 1] as number) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, Math.max(0, end - 1))
}

/** Returns the type of an image by its first bytes; null: not an image that a browser may show. */
export function imageTypeOf(head: Buffer): string | null {
  return imageTypes.find(([begin]) => head.toString('latin1').startsWith(begin))?.[1] ?? null
}

const imageTypes = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['RIFF', 'image/webp'],
] as const
