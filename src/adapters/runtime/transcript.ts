import { endsInsideKey, isKeyLine, keyBegin, keyEnd } from '../../secrets/private-keys.ts'
import { narrowed } from '../../secrets/redact.ts'
import type { RuntimeEvent } from './port.ts'
import { readable } from './readable.ts'

/** The bytes that are kept of the beginning of an agent's output, and as many again of its end. */
export const maxTextBytes = 1024 * 1024
/** The cost of a line in addition to its text: a million lines of one letter are more than one megabyte. */
const lineCost = 32

type From = 'stderr' | undefined

export interface Transcript {
  /** Adds one line of text; `cutBytes` is the number of bytes that are already missing from it. */
  text(text: string, cutBytes?: number, from?: 'stderr'): void
  /** Adds lines that nobody has read yet; the block is copied. */
  skip(block: Buffer, lines: number, from?: 'stderr'): void
  drop(bytes: number): void
  /** Returns whether the beginning is complete. */
  isFull(): boolean
  /** Delivers the end of the output; called once, when nothing more can come. */
  end(): void
  /** Returns one line about discarded output, or undefined if nothing was discarded. */
  missing(): string | undefined
}

interface Block {
  readonly bytes: Buffer
  readonly lines: number
  readonly from: From
}

/**
 * Limits the output of an agent to its beginning, which is delivered as it arrives, and its end, which is delivered when
 * the agent has ended: a flood costs neither memory nor disk, and the failure at the end is not lost.
 */
export function createTranscript(push: (event: RuntimeEvent) => void): Transcript {
  let kept = 0
  let dropped = 0
  let isFull = false
  const tail = createTail()
  /** The streams in whose beginning a private key has begun that is not complete. */
  const insideKey = new Set<From>()
  const deliver = (text: string, from: From): void =>
    push({ kind: 'text', text, ...(from === undefined ? {} : { from }) })
  return {
    drop: (bytes) => {
      dropped += bytes
    },
    isFull: () => isFull,
    missing: () => (dropped === 0 ? undefined : `${dropped} bytes of the agent's output were discarded`),
    text: (text, cutBytes = 0, from) => {
      dropped += cutBytes
      if (isFull) return tail.add({ bytes: Buffer.from(text), lines: linesIn(text), from })
      const shown = readable(text)
      const bytes = Buffer.byteLength(shown)
      if (kept + bytes + lineCost <= maxTextBytes) {
        kept += bytes + lineCost
        if (continuesKey(shown, insideKey.has(from))) insideKey.add(from)
        else insideKey.delete(from)
        return deliver(shown, from)
      }
      isFull = true
      deliver(continued, undefined)
      return tail.add({ bytes: Buffer.from(text), lines: linesIn(text), from })
    },
    skip: (block, lines, from) => tail.add({ bytes: Buffer.from(block), lines, from }),
    end: () => {
      const { blocks, bytes, lines } = withoutBrokenKeys(tail.take(), insideKey)
      dropped += bytes
      if (bytes > 0) deliver(`… ${bytes} bytes, ${lines} lines left out …`, undefined)
      for (const { bytes: text, from } of blocks) for (const line of linesOf(text)) deliver(readable(line), from)
    },
  }
}

const continued = '… the output goes on; its end follows when the agent has ended …'

const linesIn = (text: string): number => text.split('\n').length

function linesOf(block: Buffer): string[] {
  const lines = new TextDecoder().decode(block).split('\n')
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}

interface Tail {
  readonly blocks: readonly Block[]
  /** Of everything that came before. */
  readonly bytes: number
  readonly lines: number
}

/** Keeps the newest blocks; the number of bytes and lines before them is counted. */
function createTail(): { add(block: Block): void; take(): Tail } {
  let blocks: Block[] = []
  let first = 0
  let held = 0
  let [bytes, lines] = [0, 0]
  const addPiece = (block: Block): void => {
    blocks.push(block)
    held += costOf(block)
    for (let oldest = blocks[first]; held > maxTextBytes && oldest !== undefined; oldest = blocks[first]) {
      held -= costOf(oldest)
      bytes += oldest.bytes.length
      lines += oldest.lines
      first += 1
    }
    // Removed together: `shift` would move all of the others each time.
    if (first <= 1_024) return
    blocks = blocks.slice(first)
    first = 0
  }
  return {
    add: (block) => {
      for (const piece of piecesOf(block)) addPiece(piece)
    },
    take: () => ({ blocks: blocks.slice(first), bytes, lines }),
  }
}

const costOf = ({ bytes, lines }: Block): number => bytes.length + lines * lineCost

/** Divides a block of many short lines: a part of it may be left out, and only whole blocks are. */
function piecesOf(block: Block): Block[] {
  if (block.lines < 2 || costOf(block) <= maxTextBytes / 16) return [block]
  const middle = block.bytes.indexOf(newline, block.bytes.length / 2) + 1
  if (middle === 0 || middle === block.bytes.length) return [block]
  const head = block.bytes.subarray(0, middle)
  const linesOfHead = countOf(head)
  return [
    ...piecesOf({ ...block, bytes: head, lines: linesOfHead }),
    ...piecesOf({ ...block, bytes: block.bytes.subarray(middle), lines: block.lines - linesOfHead }),
  ]
}

const newline = 10

function countOf(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1
  return count
}

function continuesKey(text: string, isInside: boolean): boolean {
  const seen = narrowed(text)
  return isInside ? !keyEnd.test(seen) && isKeyLine(seen) : endsInsideKey(seen)
}

/**
 * Leaves out the rest of a private key whose beginning is left out, or stands before the line about the gap: neither would
 * be recognised as a part of one. Each stream is looked at by itself, because the lines of the other may be between.
 */
function withoutBrokenKeys(tail: Tail, insideKey: ReadonlySet<From>): Tail {
  const hasGap = tail.bytes > 0
  if (!hasGap && insideKey.size === 0) return tail
  const left = new Map<From, number>()
  for (const from of [undefined, 'stderr'] as const) {
    const lines = tail.blocks.filter((block) => block.from === from).flatMap(({ bytes }) => linesOf(bytes))
    left.set(from, countOfBrokenKey(lines, hasGap, insideKey.has(from)))
  }
  let { bytes, lines } = tail
  const blocks: Block[] = []
  for (const block of tail.blocks) {
    const drops = left.get(block.from) ?? 0
    const own = drops === 0 ? [] : linesOf(block.bytes)
    const rest = own.slice(drops)
    left.set(block.from, Math.max(0, drops - own.length))
    const kept = drops === 0 ? block : { ...block, bytes: Buffer.from(rest.join('\n')), lines: rest.length }
    if (kept.lines > 0) blocks.push(kept)
    bytes += block.bytes.length - (kept.lines > 0 ? kept.bytes.length : 0)
    lines += block.lines - kept.lines
  }
  return { blocks, bytes, lines }
}

/** Returns the number of lines, from the first one on, that may belong to a key which began before them. */
function countOfBrokenKey(lines: readonly string[], hasGap: boolean, isInside: boolean): number {
  if (!hasGap && !isInside) return 0
  if (hasGap)
    for (const [at, line] of lines.entries()) {
      const seen = narrowed(line)
      const begin = keyBegin.exec(seen)
      const end = keyEnd.exec(seen)
      if (begin !== null && (end === null || begin.index < end.index)) break
      // Lines that may be the middle of the key are in no other place than before its end.
      if (end !== null) return at + 1
    }
  // The agent may have ended before its key did.
  const isPart = isInside ? isKeyLine : isMaterial
  const found = lines.findIndex((line) => !isPart(narrowed(line)))
  const count = found === -1 ? lines.length : found
  if (isInside) return keyEnd.test(narrowed(lines[count] ?? '')) ? count + 1 : count
  return Math.min(count, mostKeyLines)
}

/** A key of 16,384 bits has about 200 lines; more lines of this kind are another text. */
const mostKeyLines = 300

const isMaterial = (line: string): boolean => isKeyLine(line) && /[A-Za-z0-9+/=]{40}/.test(line)
