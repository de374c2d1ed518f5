import type { z } from 'zod'

import type { Operation, OutputOf, Problem } from '../src/operations/contract.ts'
import { fromWire, toWire } from '../src/operations/wire.ts'

/** What may be left out or written as text on the way in: the operation's own input, before defaults and coercion. */
export type InputOf<Op extends Operation> = z.input<Op['input']>

/** Asks the daemon for one operation of `operations`. Throws `Refused` where it says no, `Unreachable` where it is silent. */
export async function call<Op extends Operation>(
  operation: Op,
  input: InputOf<Op>,
  signal?: AbortSignal,
  key: string = randomKey(),
): Promise<OutputOf<Op>> {
  const { url, body } = requestOf(operation, input)
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== null) headers['content-type'] = 'application/json'
  // A lost answer may be asked for again without the deed being done twice.
  if (operation.method === 'POST') headers['idempotency-key'] = key
  const response = await send(url, { method: operation.method, headers, body, signal: signal ?? null })
  if (!response.ok) throw await apiErrorOf(response)
  return fromWire(operation.output, await response.json()) as OutputOf<Op>
}

/** The daemon answered, and the answer is no. */
export class ApiError extends Error {
  readonly code: string
  readonly hint: string | null
  readonly status: number

  constructor(status: number, problem: Pick<Problem, 'code' | 'message' | 'hint'>) {
    super(problem.message)
    this.name = 'ApiError'
    this.status = status
    this.code = problem.code
    this.hint = problem.hint ?? null
  }
}

/** Nobody answered: the daemon is stopped, or the machine is away. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('the daemon does not answer', { cause })
    this.name = 'Unreachable'
  }
}

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401

/** Where an operation lives and what goes there: path parameters, then query (GET) or body. */
export function requestOf(operation: Operation, input: unknown): { url: string; body: string | null } {
  const wire = toWire(operation.input, input) as Record<string, unknown>
  const rest = new Map(Object.entries(wire).filter(([, value]) => value !== undefined))
  const path = operation.path.replace(/:([a-z_]+)/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  })
  const url = `/api${path}`
  if (operation.method !== 'GET') return { url, body: JSON.stringify(Object.fromEntries(rest)) }
  if (rest.size === 0) return { url, body: null }
  return { url: `${url}?${new URLSearchParams([...rest].map(([name, value]) => [name, String(value)]))}`, body: null }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: 'same-origin' })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Unreachable(error)
  }
}

async function apiErrorOf(response: Response): Promise<ApiError> {
  const fallback = { code: 'bug', message: `the daemon answered ${response.status} ${response.statusText}`.trim() }
  try {
    const problem = (await response.json()) as Partial<Problem>
    return new ApiError(response.status, { ...fallback, ...problem })
  } catch {
    return new ApiError(response.status, fallback)
  }
}

// randomUUID exists in secure contexts only; a dashboard on a private network over plain HTTP is none.
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
