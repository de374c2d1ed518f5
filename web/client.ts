import type { z } from 'zod'

import { createStreamReader, type StreamMessage } from '../src/kernel/event-stream.ts'
import type { Operation, OutputOf } from '../src/operations/contract.ts'
import { ApiError, apiErrorOf } from '../src/operations/problem.ts'
import { requestFor, type WireRequest } from '../src/operations/request.ts'
import { fromWire, toWire } from '../src/operations/wire.ts'
import { askOtherTabs, sessionHeaders } from './session.ts'

/**
 * The operation's input before defaults and coercion: fields with a default may be left out, coerced ones may be text.
 */
export type InputOf<Op extends Operation> = z.input<Op['input']>

/** Calls one operation. Throws `ApiError` when the daemon refuses it, `Unreachable` when it does not answer. */
export async function call<Op extends Operation>(
  operation: Op,
  input: InputOf<Op>,
  signal?: AbortSignal,
  key: string = randomKey(),
): Promise<OutputOf<Op>> {
  const { method, path, body } = requestOf(operation, input)
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== null) headers['content-type'] = 'application/json'
  // The key makes a repeated request after a lost answer safe: the daemon carries it out once.
  if (method === 'POST') headers['idempotency-key'] = key
  const response = await send(path, { method, headers, body, signal: signal ?? null })
  if (!response.ok) throw apiErrorOf(response.status, await response.text())
  return fromWire(operation.output, await response.json()) as OutputOf<Op>
}

/** Fetches the file of an operation that responds with one. No type: a browser must not show it as a page of its own. */
export async function callFile<Op extends Operation>(operation: Op, input: InputOf<Op>): Promise<Blob> {
  const { method, path } = requestOf(operation, input)
  const response = await send(path, { method, headers: {} })
  if (!response.ok) throw apiErrorOf(response.status, await response.text())
  return response.blob().catch((error: unknown) => Promise.reject(new Unreachable(error)))
}

export interface StreamReader {
  opened(): void
  received(message: StreamMessage): void
}

/**
 * Reads the stream of an operation until it ends. An EventSource cannot send the secret of the tab; a request can. Throws
 * the same errors as `call`.
 */
export async function follow<Op extends Operation>(
  operation: Op,
  input: InputOf<Op>,
  reader: StreamReader,
  signal: AbortSignal,
): Promise<void> {
  const { method, path } = requestOf(operation, input)
  const response = await send(path, { method, headers: { accept: 'text/event-stream' }, signal })
  if (!response.ok || response.body === null) throw apiErrorOf(response.status, await response.text())
  reader.opened()
  const push = createStreamReader(reader.received)
  const parts = response.body.getReader()
  for (;;) {
    const { done, value } = await parts.read().catch((error: unknown) => Promise.reject(new Unreachable(error)))
    if (done) return
    push(value)
  }
}

/** The daemon did not answer: it is stopped, or its machine is unreachable. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('the daemon does not answer', { cause })
    this.name = 'Unreachable'
  }
}

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401

/** Builds the request of an operation; its input is converted to the names of the wire. */
export const requestOf = (operation: Operation, input: unknown): WireRequest =>
  requestFor(operation, toWire(operation.input, input) as object)

/** Sends a request with the secret of this tab; if the browser has signed in again in another tab, with its secret. */
async function send(url: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
  const response = await attempt(url, init)
  return response.status === 401 && (await askOtherTabs()) ? attempt(url, init) : response
}

async function attempt(url: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
  try {
    return await fetch(url, {
      ...init,
      headers: { ...init.headers, ...sessionHeaders() },
      credentials: 'same-origin',
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Unreachable(error)
  }
}

// randomUUID exists in secure contexts only; a dashboard on a private network over plain HTTP is not one.
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
