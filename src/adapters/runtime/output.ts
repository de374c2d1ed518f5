import { stripVTControlCharacters } from 'node:util'

import type { RuntimeEvent } from './port.ts'

export const maxLineBytes = 64 * 1024
export const maxTextBytes = 1024 * 1024
/** The cost of a line in addition to its text: a million lines of one letter are more than one megabyte. */
const lineCost = 32

export interface LineReader {
  onLine(line: string, cutBytes: number): void
  /** While true, only lines that begin with `{` are read; of the other lines only the length is reported. */
  isSkimming(): boolean
  onSkip(bytes: number): void
}

export interface LineSplitter {
  write(chunk: Buffer): void
  end(): void
}

const newline = 10
const brace = 123

/**
 * Splits a stream of bytes into lines and holds at most one line of 64 KB, however long the stream is; a line that
 * begins with `{` may be as long as `maxJsonBytes`, because half an object is useless.
 * Skimming makes a flood of short lines (`yes`: fifty million of them in 100 MB) twenty times cheaper.
 */
export function createLineSplitter(reader: LineReader, maxJsonBytes = maxLineBytes): LineSplitter {
  let parts: Buffer[] = []
  let held = 0
  let cut = 0

  const hold = (part: Buffer) => {
    const room = ((parts[0] ?? part)[0] === brace ? maxJsonBytes : maxLineBytes) - held
    // Copied, because a slice would keep its whole chunk alive.
    if (room > 0 && part.length > 0) parts.push(Buffer.from(part.subarray(0, room)))
    held += Math.min(room, part.length)
    cut += Math.max(0, part.length - room)
  }
  const finish = (last: Buffer) => {
    // Nearly every line lies within one chunk and need not be copied first.
    if (held === 0 && last.length <= maxLineBytes) return reader.onLine(lineText(last, false), 0)
    hold(last)
    const [bytes, cutBytes] = [Buffer.concat(parts), cut]
    parts = []
    held = 0
    cut = 0
    reader.onLine(lineText(bytes, cutBytes > 0), cutBytes)
  }
  return {
    write: (chunk) => {
      const skims = reader.isSkimming()
      let from = 0
      // A manual loop: for short lines it is faster than `indexOf`, because of the cost of the call.
      for (let at = 0; at < chunk.length; at += 1) {
        if (chunk[at] !== newline) continue
        if (!skims || held > 0 || chunk[from] === brace) finish(chunk.subarray(from, at))
        else if (at > from) reader.onSkip(at - from + 1)
        from = at + 1
      }
      if (from < chunk.length) hold(chunk.subarray(from))
    },
    end: () => {
      if (held > 0) finish(Buffer.alloc(0))
    },
  }
}

const decoder = new TextDecoder('utf-8')

function lineText(bytes: Buffer, isCut: boolean): string {
  const text = isCut ? new TextDecoder('utf-8').decode(bytes, { stream: true }) : decoder.decode(bytes)
  return text.endsWith('\r') ? text.slice(0, -1) : text
}

export interface Transcript {
  /** Adds one line of text; `cutBytes` is the number of bytes that are already missing from it. */
  text(text: string, cutBytes?: number, from?: 'stderr'): void
  drop(bytes: number): void
  isFull(): boolean
  /** Returns one line about discarded output, or undefined if nothing was discarded. */
  missing(): string | undefined
}

/**
 * Limits the output of an agent: after the first megabyte the rest is counted and discarded, so that a flood costs
 * neither memory nor disk.
 */
export function createTranscript(push: (event: RuntimeEvent) => void): Transcript {
  let kept = 0
  let dropped = 0
  let isFull = false
  const drop = (bytes: number) => {
    dropped += bytes
  }
  return {
    drop,
    isFull: () => isFull,
    missing: () => (dropped === 0 ? undefined : `${dropped} bytes of the agent's output were discarded`),
    text: (text, cutBytes = 0, from) => {
      drop(cutBytes)
      if (isFull) return drop(Buffer.byteLength(text) + 1)
      const shown = readable(text)
      if (shown === '') return
      const bytes = Buffer.byteLength(shown)
      if (kept + bytes + lineCost > maxTextBytes) {
        isFull = true
        push({ kind: 'text', text: 'Output limit of 1 MB reached: further output is counted and discarded.' })
        return drop(bytes + 1)
      }
      kept += bytes + lineCost
      push({ kind: 'text', text: shown, ...(from === undefined ? {} : { from }) })
    },
  }
}

/**
 * Makes text safe for a terminal and every store: no escape sequences, no control characters (PostgreSQL rejects NUL),
 * no half surrogates, at most 64 KB.
 */
export function readable(text: string): string {
  const plain = text.includes('\u001b') || text.includes('\u009b') ? stripVTControlCharacters(text) : text
  const clean = plain.replace(/\r\n?/g, '\n').replace(unsafe, '\ufffd').toWellFormed().trimEnd()
  if (Buffer.byteLength(clean) <= maxLineBytes) return clean
  return new TextDecoder('utf-8').decode(Buffer.from(clean).subarray(0, maxLineBytes), { stream: true })
}

// oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
