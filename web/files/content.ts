import type { FilePart } from '../../src/workspaces/file-part.contract.ts'

/** The size of a file that is read part by part; larger ones need the command line. */
export const maxBytes = 50_000_000

export const bytesOf = ({ content, encoding }: Pick<FilePart, 'content' | 'encoding'>): Uint8Array<ArrayBuffer> =>
  encoding === 'utf8'
    ? new TextEncoder().encode(content)
    : Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))

/** Reads a whole file, part by part. */
export async function wholeFile(
  read: (from: number) => Promise<Pick<FilePart, 'content' | 'encoding' | 'next'>>,
): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let from: number | null = 0; from !== null;) {
    const part: Pick<FilePart, 'content' | 'encoding' | 'next'> = await read(from)
    parts.push(bytesOf(part))
    from = part.next
  }
  // No specific type: a browser must not show a file of an agent as a page of the dashboard.
  return new Blob(parts, { type: 'application/octet-stream' })
}

/** Saves a file under the last part of its path, without the signs that no file system and no reader expects. */
export function save(blob: Blob, path: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = fileNameOf(path)
  link.click()
  URL.revokeObjectURL(url)
}

/** Marks that turn the direction of writing, and other invisible ones, make a name look like another one. */
export const fileNameOf = (path: string): string =>
  (path.split(/[/\\]/).at(-1) ?? '').toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:;"|?*]/gu, '_') || 'file'

/** Returns the type of an image by its first bytes, as base64; null: not an image that is shown. */
export function imageType(base64: string): string | null {
  return imageTypes.find(([begin]) => base64.startsWith(begin))?.[1] ?? null
}

const imageTypes = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const
