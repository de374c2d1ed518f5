import type { IncomingMessage } from 'node:http'

import { AgencyError, refusal } from '../kernel/errors.ts'
import { maxDepth } from '../kernel/nesting.ts'

/** Has its own status: the encoding of the body is wrong, not its content. */
export class UnsupportedMedia extends AgencyError {}

/** Reads the body as a JSON object; an absent body is an empty object. */
export async function readJsonBody(incoming: IncomingMessage, maxBytes: number): Promise<Record<string, unknown>> {
  const bytes = await readBytes(incoming, maxBytes)
  if (bytes.length === 0) return {}
  checkMedia(incoming)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    throw refusal('invalid_input', 'the body is not JSON')
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw refusal('invalid_input', 'the body must be a JSON object')
  checkContent(value)
  return value as Record<string, unknown>
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

async function readBytes(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += part.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      parts.push(part)
    }
  } catch (error) {
    if (error instanceof AgencyError) throw error
    throw refusal('invalid_input', 'the body is incomplete: the connection was closed', { cause: error })
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
}

const tooLarge = (maxBytes: number): AgencyError =>
  refusal('too_large', `the body is larger than the limit of ${maxBytes} bytes`, { data: { max_bytes: maxBytes } })

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
