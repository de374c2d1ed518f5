import { keyBegin, keyEnd } from '../../secrets/private-keys.ts'
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
        return deliver(shown, from)
      }
      isFull = true
      deliver(continued, undefined)
      return tail.add({ bytes: Buffer.from(text), lines: linesIn(text), from })
    },
    skip: (block, lines, from) => tail.add({ bytes: Buffer.from(block), lines, from }),
    end: () => {
      const { blocks, bytes, lines } = withoutBrokenKey(tail.take())
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

/**
 * Leaves out the end of a private key whose beginning is left out: it would not be recognised as a part of one. Lines that
 * may be its middle are in no other place than before its end.
 */
function withoutBrokenKey(tail: Tail): Tail {
  if (tail.bytes === 0) return tail
  for (const [index, block] of tail.blocks.entries()) {
    const lines = linesOf(block.bytes)
    for (const [at, line] of lines.entries()) {
      const seen = narrowed(line)
      const begin = keyBegin.exec(seen)
      const end = keyEnd.exec(seen)
      if (begin !== null && (end === null || begin.index < end.index)) return tail
      if (end === null) continue
      const rest = { ...block, bytes: Buffer.from(lines.slice(at + 1).join('\n')), lines: lines.length - at - 1 }
      const before = tail.blocks.slice(0, index)
      return {
        blocks: [...(rest.lines === 0 ? [] : [rest]), ...tail.blocks.slice(index + 1)],
        bytes: tail.bytes + block.bytes.length - rest.bytes.length + sumOf(before, (each) => each.bytes.length),
        lines: tail.lines + at + 1 + sumOf(before, (each) => each.lines),
      }
    }
  }
  return tail
}

const sumOf = (blocks: readonly Block[], of: (block: Block) => number): number =>
  blocks.reduce((sum, block) => sum + of(block), 0)
