export const maxLineBytes = 64 * 1024

export interface LineReader {
  onLine(line: string, cutBytes: number): void
  /** While true, only lines that begin with `{` are read; the other lines are handed over together, as they are. */
  isSkimming(): boolean
  /** Takes a block of whole lines, which is reused after the call. */
  onSkip(block: Buffer, lines: number): void
}

export interface LineSplitter {
  write(chunk: Buffer): void
  end(): void
}

const newline = 10
const carriageReturn = 13
const brace = 123

/**
 * Splits a stream of bytes into lines and holds at most one line of 64 KB, however long the stream is; a line that
 * begins with `{` may be as long as `maxJsonBytes`, because half an object is useless.
 * A line that is written again and again with carriage returns begins again with each of them. Skimming makes a flood of
 * short lines (`yes`: fifty million of them in 100 MB) twenty times cheaper.
 */
export function createLineSplitter(reader: LineReader, maxJsonBytes = maxLineBytes): LineSplitter {
  let parts: Buffer[] = []
  let held = 0
  let cut = 0

  const hold = (given: Buffer) => {
    const part = held + given.length > maxLineBytes ? afterOverwriting(given) : given
    const room = ((parts[0] ?? part)[0] === brace ? maxJsonBytes : maxLineBytes) - held
    // Copied, because a slice would keep its whole chunk alive.
    if (room > 0 && part.length > 0) parts.push(Buffer.from(part.subarray(0, room)))
    held += Math.min(room, part.length)
    cut += Math.max(0, part.length - room)
  }
  /** Drops the earlier states of a progress line; at the end of a part, the byte may belong to the end of the line. */
  const afterOverwriting = (part: Buffer): Buffer => {
    const at = part.lastIndexOf(carriageReturn, -2)
    if (at < 0) return part
    parts = []
    held = 0
    cut = 0
    return part.subarray(at + 1)
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
      let skipped = 0
      let skippedFrom = 0
      const skip = () => {
        if (skipped > 0) reader.onSkip(chunk.subarray(skippedFrom, from), skipped)
        skipped = 0
      }
      // A manual loop: for short lines it is faster than `indexOf`, because of the cost of the call.
      for (let at = 0; at < chunk.length; at += 1) {
        if (chunk[at] !== newline) continue
        if (!skims || held > 0 || chunk[from] === brace) {
          skip()
          finish(chunk.subarray(from, at))
        } else {
          if (skipped === 0) skippedFrom = from
          skipped += 1
        }
        from = at + 1
      }
      skip()
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
