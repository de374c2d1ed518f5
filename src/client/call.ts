import { pause } from '../kernel/clock.ts'
import { AgencyError, refusal } from '../kernel/errors.ts'
import { randomToken } from '../kernel/ids.ts'
import type { Operation } from '../operations/contract.ts'
import type { Endpoint } from '../operations/endpoint.ts'
import { ApiError } from '../operations/problem.ts'
import { requestFor } from '../operations/request.ts'
import { ConnectionLost, NoAnswer, Unreachable } from './http.ts'
import { type DaemonAddress, send } from './send.ts'

/**
 * A daemon that restarts is back within seconds; a database may need half a minute. An agent's work need not fail for
 * that.
 */
const tries = { daemon: 6, store: 12 }
const firstPauseMs = 100
const longestPauseMs = 5_000

/**
 * Calls an operation on behalf of an agent and returns its answer. All tries carry one idempotency key, so that the
 * operation is carried out once even if an earlier try reached the daemon.
 */
export async function callOperation(
  address: DaemonAddress,
  operation: Operation,
  input: Record<string, unknown>,
): Promise<unknown> {
  checkInput(operation, input)
  const request = requestFor(operation, input)
  const idempotencyKey = randomToken()
  for (let attempt = 1; ; attempt++) {
    try {
      return parseJson(await send(address, request, request.method === 'GET' ? {} : { idempotencyKey }))
    } catch (error) {
      if (attempt >= triesAfter(error)) throw toRefusal(error)
      await pause(Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs))
    }
  }
}

/** Formats a refusal as one line for an agent; any other error is a bug and is thrown again. */
export function refusalText(error: unknown): string {
  const problem = error instanceof ApiError ? error.problem : error instanceof AgencyError ? error : null
  if (problem === null) throw error
  return `${problem.code}: ${problem.message}${problem.hint === undefined ? '' : ` (${problem.hint})`}`
}

/** Refuses what has no place in an address: an agent wrote the input, and nothing has checked it yet. */
function checkInput({ name: operation, method, path }: Operation, input: Record<string, unknown>): void {
  const inPath = new Set(parametersOf({ method, path }))
  for (const name of inPath)
    if (typeof input[name] !== 'string' || input[name] === '') throw refusal('invalid_input', `${name}: is missing`)
  if (method !== 'GET' && method !== 'DELETE') return
  for (const [name, value] of Object.entries(input))
    if (!inPath.has(name) && !['string', 'number', 'boolean'].includes(typeof value))
      throw refusal('invalid_input', `${name}: ${operation} takes a text or a number here`)
}

const parametersOf = ({ path }: Endpoint): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw refusal('bug', 'the daemon sent an answer that is not JSON', { cause: error })
  }
}

/** Returns the number of tries of a call that fails like this; one if no later try can succeed. */
function triesAfter(error: unknown): number {
  if (!(error instanceof ApiError))
    return error instanceof Unreachable || error instanceof ConnectionLost ? tries.daemon : 1
  if (error.problem.code === 'stopping') return tries.daemon
  return error.problem.code === 'store_unusable' || error.problem.code === 'store_full' ? tries.store : 1
}

function toRefusal(error: unknown): unknown {
  if (error instanceof NoAnswer) return refusal('stopping', 'the daemon does not answer', { cause: error })
  if (error instanceof Unreachable)
    return refusal('stopping', `the daemon cannot be reached (${error.code})`, { cause: error })
  if (error instanceof ConnectionLost)
    return refusal('stopping', `the daemon cannot be reached (${error.message})`, { cause: error })
  return error
}
