import type { IncomingMessage } from 'node:http'

import type { Clock } from '../kernel/clock.ts'
import { AgencyError, refusal } from '../kernel/errors.ts'
import { maxDepth } from '../kernel/nesting.ts'
import type { BodySlot } from './sender-limits.ts'

/** Has its own status: the encoding of the body is wrong, not its content. */
export class UnsupportedMedia extends AgencyError {}

/** Reads the body as a JSON object; an absent body is an empty object. */
export async function readJsonBody(
  incoming: IncomingMessage,
  slot: BodySlot,
  clock: Clock,
): Promise<{ value: Record<string, unknown>; bytes: number }> {
  const bytes = await readBytes(incoming, slot, clock)
  if (bytes.length === 0) return { value: {}, bytes: 0 }
  checkMedia(incoming)
  let value: unknown
  let nodes: number
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    nodes = countNodes(text)
    value = nodes > slot.limits.maxNodes ? null : JSON.parse(text)
  } catch {
    throw refusal('invalid_input', 'the body is not JSON')
  }
  if (nodes > slot.limits.maxNodes)
    throw refusal('too_large', `the body has more than ${slot.limits.maxNodes} values`, {
      data: { max_values: slot.limits.maxNodes },
    })
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw refusal('invalid_input', 'the body must be a JSON object')
  checkContent(value)
  return { value: value as Record<string, unknown>, bytes: bytes.length }
}

function checkMedia({ headers }: IncomingMessage): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new UnsupportedMedia('invalid_input', 'the body must be sent as application/json', {
      hint: 'Add the header Content-Type: application/json.',
    })
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new UnsupportedMedia('invalid_input', 'the body must not be compressed')
}

async function readBytes(incoming: IncomingMessage, slot: BodySlot, clock: Clock): Promise<Buffer> {
  const { maxBytes, timeoutMs } = slot.limits
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const held = createGrowingBuffer()
  let isLate = false
  const cancel = clock.after(timeoutMs, () => {
    isLate = true
    incoming.destroy()
  })
  try {
    for await (const part of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (held.length() + part.length > maxBytes) throw tooLarge(maxBytes)
      slot.add(part.length)
      held.append(part)
    }
  } catch (error) {
    if (error instanceof AgencyError) throw error
    const reason = isLate ? `it did not arrive within ${timeoutMs / 1_000} s` : 'the connection was closed'
    throw refusal('invalid_input', `the body is incomplete: ${reason}`, { cause: error })
  } finally {
    cancel()
  }
  return held.bytes()
}

/** Copies parts into one buffer: as separate buffers, parts of one byte each would take a hundred times their size. */
function createGrowingBuffer(): { length(): number; append(part: Buffer): void; bytes(): Buffer } {
  let buffer = Buffer.alloc(0)
  let length = 0
  return {
    length: () => length,
    append(part) {
      if (length + part.length > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(length + part.length, 2 * buffer.length))
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      part.copy(buffer, length)
      length += part.length
    },
    bytes: () => buffer.subarray(0, length),
  }
}

const tooLarge = (maxBytes: number): AgencyError =>
  refusal('too_large', `the body is larger than the limit of ${maxBytes} bytes`, { data: { max_bytes: maxBytes } })

const [quote, backslash, comma, colon, openBracket, openBrace] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x7b]

/** Counts the values and keys of a JSON text before it is parsed, by the signs between them. */
export function countNodes(text: string): number {
  let nodes = 1
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    else if (code === comma || code === colon || code === openBracket || code === openBrace) nodes++
  }
  return nodes
}

/** Returns the position of the quote that ends a string, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end
    while (text.charCodeAt(first - 1) === backslash) first--
    if ((end - first) % 2 === 0) return end
  }
  return text.length
}

/** Refuses texts that a store cannot keep and nesting that would overflow the stack, before the input is processed. */
export function checkContent(value: unknown): void {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value === 'string') checkText(next.value)
    if (next.value === null || typeof next.value !== 'object') continue
    if (next.depth === maxDepth) throw refusal('invalid_input', `the input is nested deeper than ${maxDepth} levels`)
    for (const [key, item] of Object.entries(next.value)) {
      checkText(key)
      open.push({ value: item, depth: next.depth + 1 })
    }
  }
}

function checkText(text: string): void {
  if (text.includes('\0')) throw refusal('invalid_input', 'a text contains a zero character')
  if (!text.isWellFormed()) throw refusal('invalid_input', 'a text contains half a surrogate pair')
}
