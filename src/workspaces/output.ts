import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'

import type { CommandResult } from './port.ts'
import { textOf } from './text.ts'

/** The end of a long output that is kept: there a program says how it ended. */
const endBytes = 64 * 1024

interface CollectedOutput extends Pick<CommandResult, 'cut' | 'contains'> {
  readonly text: string
  readonly sha256: string
}

/** Collects the beginning and the end of a command's output, hashes and searches all of it, in bounded memory. */
export function collectOutput(child: ChildProcess, maxBytes: number, searchFor?: string) {
  const hash = createHash('sha256')
  const head: Buffer[] = []
  const search = searchFor === undefined ? null : createSearch(Buffer.from(searchFor))
  const end: Buffer[] = []
  let ended = 0
  let bytes = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    hash.update(chunk)
    search?.add(chunk)
    // Copied, because a slice would keep the whole chunk in memory.
    if (bytes <= maxBytes) head.push(Buffer.from(chunk.subarray(0, maxBytes + 1 - bytes)))
    bytes += chunk.length
    const last = Buffer.from(chunk.subarray(-endBytes))
    end.push(last)
    for (ended += last.length; ended - (end[0]?.length ?? 0) >= endBytes;) ended -= end.shift()?.length ?? 0
  })
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  const read = (): CollectedOutput => ({
    text: textOf(Buffer.concat(head), maxBytes),
    sha256: hash.digest('hex'),
    ...(bytes > maxBytes ? { cut: { bytes, end: endText(Buffer.concat(end).subarray(-endBytes)) } } : {}),
    ...(search === null ? {} : { contains: search.hasFound() }),
  })
  return { closed, read }
}

/** A character may be split at the beginning of the bytes that were kept. */
const endText = (end: Buffer): string => textOf(end, end.length).replace(/^\uFFFD{1,3}/, '')

/** Looks for bytes in a stream, also where they are split between two chunks. */
function createSearch(wanted: Buffer) {
  let rest: Buffer = Buffer.alloc(0)
  let found = wanted.length === 0
  return {
    add: (chunk: Buffer): void => {
      if (found) return
      const text = Buffer.concat([rest, chunk])
      found = text.includes(wanted)
      rest = Buffer.from(text.subarray(Math.max(0, text.length - wanted.length + 1)))
    },
    hasFound: () => found,
  }
}
