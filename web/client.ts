import type { z } from 'zod'

import type { Operation, OutputOf } from '../src/operations/contract.ts'
import { ApiError, apiErrorOf } from '../src/operations/problem.ts'
import { requestFor, type WireRequest } from '../src/operations/request.ts'
import { fromWire, toWire } from '../src/operations/wire.ts'

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

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: 'same-origin' })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Unreachable(error)
  }
}

// randomUUID exists in secure contexts only; a dashboard on a private network over plain HTTP is not one.
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
