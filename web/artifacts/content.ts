import { artifactOperations } from '../../src/work/artifacts/contract.ts'
import type { FilePart } from '../../src/workspaces/file-part.contract.ts'
import { call, callFile } from '../client.ts'

/** A browser keeps a larger response on its disk while it arrives; above this it may not. */
export const maxDownload = 500_000_000

export async function readPart(artifactId: string, from: number): Promise<FilePart> {
  const { part, problem } = await call(artifactOperations.show, { artifactId, from })
  if (part === null) throw new Error(`The file can no longer be read: ${problem}.`)
  return part
}

export const fetchFile = (artifactId: string): Promise<Blob> => callFile(artifactOperations.file, { artifactId })

/** Reports whether a text is Markdown by its name. */
export const isMarkdown = (name: string): boolean => /\.(md|markdown)$/i.test(name)

/** Documents are stored as JSON in one line; formatted they can be read. */
export function formatted(part: FilePart): FilePart {
  if (part.encoding !== 'utf8' || part.from > 0 || part.next !== null) return part
  try {
    return { ...part, content: `${JSON.stringify(JSON.parse(part.content), null, 2)}\n` }
  } catch {
    return part
  }
}
