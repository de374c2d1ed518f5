import { request as httpRequest } from 'node:http'

import { pause } from '../kernel/clock.ts'
import { AgencyError, refusal } from '../kernel/errors.ts'
import { randomToken } from '../kernel/ids.ts'
import type { Operation, Problem } from '../operations/contract.ts'

export interface DaemonPlace {
  socket: string
  token: string
}

/** What the daemon refused, in its own words. */
export class Refused extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** A daemon that is started again is back within seconds; an agent's work need not fail for that. */
const tries = 6
const firstPauseMs = 100
const silenceMs = 60_000

/** Asks the daemon and returns its answer. One key for all tries: whatever became of the first, it is done once. */
export async function callOperation(
  place: DaemonPlace,
  operation: Operation,
  input: Record<string, unknown>,
): Promise<unknown> {
  const message = toMessage(operation, input)
  const key = randomToken()
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(place, message, key)
    } catch (error) {
      if (attempt === tries || !isPassing(error)) throw toTell(error)
      await pause(firstPauseMs * 2 ** (attempt - 1))
    }
  }
}

/** What was refused, in one line for an agent; what nobody refused is a bug, and goes on. */
export function refusalText(error: unknown): string {
  const problem = error instanceof Refused ? error.problem : error instanceof AgencyError ? error : null
  if (problem === null) throw error
  return `${problem.code}: ${problem.message}${problem.hint === undefined ? '' : ` (${problem.hint})`}`
}

interface Message {
  method: string
  path: string
  body: string | undefined
}

function toMessage({ method, path, ...operation }: Operation, input: Record<string, unknown>): Message {
  const rest = new Map(Object.entries(input))
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    if (typeof value !== 'string' || value === '') throw refusal('invalid_input', `${name}: is missing`)
    return encodeURIComponent(value)
  })
  if (method !== 'GET' && method !== 'DELETE')
    return { method, path: `/api${filled}`, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = new URLSearchParams([...rest].map(([name, value]) => [name, asText(operation.name, name, value)]))
  return { method, path: `/api${filled}${query.size === 0 ? '' : `?${query}`}`, body: undefined }
}

function asText(operation: string, name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw refusal('invalid_input', `${name}: ${operation} takes a text or a number here`)
}

function send({ socket, token }: DaemonPlace, { method, path, body }: Message, key: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: 'localhost',
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(method === 'GET' ? {} : { 'idempotency-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const request = httpRequest({ socketPath: socket, agent: false, method, path, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8')
        const status = response.statusCode ?? 0
        try {
          const json = JSON.parse(text) as unknown
          if (status >= 200 && status < 300) resolve(json)
          else reject(new Refused(json as Problem))
        } catch {
          reject(refusal('bug', `the daemon answered ${status} with something that is not JSON`))
        }
      })
    })
    request.setTimeout(silenceMs, () => request.destroy(refusal('stopping', 'the daemon does not answer')))
    request.on('error', reject)
    request.end(body)
  })
}

const isPassing = (error: unknown): boolean =>
  error instanceof Refused
    ? error.problem.code === 'stopping'
    : !(error instanceof AgencyError) && error instanceof Error && 'code' in error

function toTell(error: unknown): unknown {
  if (error instanceof AgencyError || error instanceof Refused) return error
  const code = String((error as NodeJS.ErrnoException).code ?? error)
  return refusal('stopping', `the daemon cannot be reached (${code})`, { cause: error })
}
