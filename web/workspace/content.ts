import type { OutputOf } from '../../src/operations/contract.ts'
import { workspaceOperations } from '../../src/work/mission-workspaces/contract.ts'
import { call } from '../client.ts'

export type FilePart = OutputOf<typeof workspaceOperations.file>

/** What a browser keeps in memory without complaint; larger files are for the command line. */
export const mostBytes = 50_000_000

export const bytesOf = ({ content, encoding }: Pick<FilePart, 'content' | 'encoding'>): Uint8Array<ArrayBuffer> =>
  encoding === 'utf8'
    ? new TextEncoder().encode(content)
    : Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))

/** The whole of a file, part by part. */
export async function wholeFile(
  read: (from: number) => Promise<Pick<FilePart, 'content' | 'encoding' | 'next'>>,
): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let from: number | null = 0; from !== null;) {
    const part: Pick<FilePart, 'content' | 'encoding' | 'next'> = await read(from)
    parts.push(bytesOf(part))
    from = part.next
  }
  // No type of its own: a browser must not show what an agent wrote as a page of ours.
  return new Blob(parts, { type: 'application/octet-stream' })
}

export async function download(missionId: string, path: string): Promise<void> {
  const blob = await wholeFile((from) => call(workspaceOperations.file, { missionId, path, from }))
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = path.split('/').at(-1) ?? 'file'
  link.click()
  URL.revokeObjectURL(url)
}

/** The kind of a picture by its first bytes, as base64; null: none that is shown. */
export function pictureType(base64: string): string | null {
  return pictures.find(([begin]) => base64.startsWith(begin))?.[1] ?? null
}

const pictures = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const
