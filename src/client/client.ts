import type { Problem } from '../operations/contract.ts'
import { type AgencyError, refusal } from '../kernel/errors.ts'
import { pause, systemClock } from '../kernel/clock.ts'
import { randomToken } from '../kernel/ids.ts'
import { ConnectionLost, exchange, type HttpHead, type HttpRequest, NoAnswer, Unreachable } from './http.ts'
import { createStreamReader, type StreamMessage } from './sse.ts'

/** What the daemon refused, in its own words. */
export class Refused extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

export interface ClientOptions {
  socket(): string
  /** Read for each request: the daemon that makes the token may only just have been started. */
  token(): string
  /** Called when nothing listens; resolves once it is worth trying again, or throws what to tell. */
  whenDown(): Promise<void>
  say(line: string): void
}

export type Query = Record<string, string | number | boolean | null | undefined>

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export interface Client {
  get<T = Record<string, unknown>>(path: string, query?: Query): Promise<T>
  post<T = Record<string, unknown>>(path: string, body: unknown): Promise<T>
  patch<T = Record<string, unknown>>(path: string, body: unknown): Promise<T>
  /** Any operation. Input goes into the address of a GET or DELETE, into the body of the others. */
  call<T = Record<string, unknown>>(method: Method, path: string, input?: object): Promise<T>
  /** The same answer as YAML, rendered by the daemon. */
  yaml(method: Method, path: string, input?: object): Promise<string>
  /**
   * The messages of a live stream, after `lastId`; `open` stands for each time that it was connected. When the daemon
   * goes away it waits for the next one and continues where it stopped. Ends when the daemon says that there is no more.
   */
  follow(
    path: string,
    query: Query,
    options?: { lastId?: string; signal?: AbortSignal },
  ): AsyncGenerator<StreamMessage | 'open'>
}

const silenceMs = 60_000
/** A daemon that was killed is back within seconds; one that stays away so long was stopped on purpose. */
const awayMs = 60_000
const retryMs = 250

export function createClient(options: ClientOptions): Client {
  async function send(method: Method, path: string, input: object | undefined, accept: string): Promise<string> {
    const inAddress = method === 'GET' || method === 'DELETE'
    // The same key for every try: whatever became of the first, it is done once.
    const key: Record<string, string> = method === 'GET' ? {} : { 'Idempotency-Key': randomToken() }
    const body = inAddress || input === undefined ? {} : { body: JSON.stringify(input) }
    const address = inAddress ? withQuery(`/api${path}`, (input ?? {}) as Query) : `/api${path}`
    const request = (): Promise<string> =>
      askText(
        options.socket(),
        { method, path: address, headers: { ...authorization(), Accept: accept, ...key }, ...body },
        { onHead: (head) => warn(head) },
      )
    try {
      return await reached(request)
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw toTell(error)
      options.say(
        `agency: the connection was lost after sending; ${method === 'GET' ? 'asking again' : 'repeating it under the same key'}`,
      )
      return await reached(request).catch((again: unknown) => {
        throw toTell(again)
      })
    }
  }

  const call = async <T>(method: Method, path: string, input?: object): Promise<T> =>
    parsed<T>(await send(method, path, input, 'application/json'))

  function warn({ headers }: HttpHead): void {
    for (const text of headers.get('agency-warning')?.split(',') ?? [])
      options.say(`warning: ${decodeURIComponent(text)}`)
  }

  async function reached<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      await options.whenDown()
      return await send()
    }
  }

  const authorization = (): Record<string, string> => ({ Authorization: `Bearer ${options.token()}` })

  async function* follow(
    path: string,
    query: Query,
    { lastId, signal }: { lastId?: string; signal?: AbortSignal } = {},
  ): AsyncGenerator<StreamMessage | 'open'> {
    let last = lastId
    let awaySince: number | null = null
    for (;;) {
      const headers = {
        ...authorization(),
        Accept: 'text/event-stream',
        ...(last === undefined ? {} : { 'Last-Event-ID': last }),
      }
      try {
        const request = { method: 'GET', path: withQuery(`/api${path}`, query), headers }
        for await (const message of streamOnce(options.socket(), request, signal)) {
          awaySince = null
          if (message !== 'open' && message.event === 'end') return
          if (message !== 'open' && message.id !== null) last = message.id
          yield message
        }
      } catch (error) {
        if (!isAway(error)) throw toTell(error)
        if (awaySince !== null && systemClock.nowMs() - awaySince > awayMs) throw goneAway()
      }
      if (signal?.aborted === true) return
      if (awaySince === null) {
        awaySince = systemClock.nowMs()
        options.say('agency: the connection was lost; waiting for the daemon')
      }
      await pause(retryMs)
    }
  }

  return {
    get: (path, query) => call('GET', path, query),
    post: (path, body) => call('POST', path, body as object),
    patch: (path, body) => call('PATCH', path, body as object),
    call,
    yaml: (method, path, input) => send(method, path, input, 'application/yaml'),
    follow,
  }
}

/** One request, its JSON answer; throws `Refused` for anything but success. */
export async function ask<T>(socket: string, request: HttpRequest, patienceMs = silenceMs): Promise<T> {
  return parsed<T>(await askText(socket, request, { patienceMs }))
}

const parsed = <T>(text: string): T => (text === '' ? null : JSON.parse(text)) as T

async function askText(
  socket: string,
  request: HttpRequest,
  { patienceMs = silenceMs, onHead }: { patienceMs?: number; onHead?: (head: HttpHead) => void } = {},
): Promise<string> {
  let status = 0
  const parts: Buffer[] = []
  await exchange(socket, request, {
    onHead: (head) => {
      status = head.status
      onHead?.(head)
    },
    onBody: (part) => parts.push(part),
    silenceMs: patienceMs,
  })
  const text = Buffer.concat(parts).toString('utf8')
  if (status >= 200 && status < 300) return text
  throw new Refused(problemOf(status, text))
}

async function* streamOnce(
  socket: string,
  request: HttpRequest,
  signal?: AbortSignal,
): AsyncGenerator<StreamMessage | 'open'> {
  const ready: (StreamMessage | 'open')[] = []
  let wake = (): void => {}
  let status = 0
  const failure: Buffer[] = []
  const read = createStreamReader((message) => ready.push(message))
  const stop = new AbortController()
  signal?.addEventListener('abort', () => stop.abort(), { once: true })
  let ended: { error?: unknown } | null = null
  exchange(socket, request, {
    onHead: (head) => {
      status = head.status
      if (status === 200) ready.push('open')
      wake()
    },
    onBody: (part) => {
      if (status === 200) read(part)
      else failure.push(part)
      wake()
    },
    silenceMs: 0,
    signal: stop.signal,
  })
    .then(() => (ended = {}))
    .catch((error: unknown) => (ended = { error }))
    .finally(() => wake())
  try {
    for (;;) {
      for (let message = ready.shift(); message !== undefined; message = ready.shift()) yield message
      const over = ended as { error?: unknown } | null
      if (over === null) await new Promise<void>((resolve) => (wake = resolve))
      else if (over.error !== undefined) throw over.error
      else if (status !== 200 && status !== 0)
        throw new Refused(problemOf(status, Buffer.concat(failure).toString('utf8')))
      else return
    }
  } finally {
    stop.abort()
  }
}

function problemOf(status: number, text: string): Problem {
  try {
    const problem = JSON.parse(text) as Partial<Problem> | null
    if (typeof problem?.message === 'string') return { code: 'bug', exit: 1, ...problem, message: problem.message }
  } catch {
    // Not ours: a proxy, or an Agency of another time. Its first line has to do.
  }
  const first = text.split('\n', 1)[0]?.slice(0, 200)
  return { code: 'bug', message: `the daemon answered ${status}${first ? `: ${first}` : ''}`, exit: 1 }
}

function withQuery(path: string, query: Query): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

const isAway = (error: unknown): boolean =>
  error instanceof Unreachable ||
  error instanceof ConnectionLost ||
  (error instanceof Refused && error.problem.code === 'stopping')

const goneAway = (): AgencyError =>
  refusal('stopping', 'the daemon is gone', { hint: 'Start it with "agency up", then repeat the command.' })

function toTell(error: unknown): unknown {
  if (error instanceof Unreachable || error instanceof ConnectionLost)
    return refusal('stopping', `the daemon went away (${error.message})`, {
      hint: 'agency doctor says more.',
      cause: error,
    })
  if (error instanceof NoAnswer)
    return refusal('stopping', `the daemon does not answer (${error.message})`, {
      hint: 'agency doctor says more.',
      cause: error,
    })
  return error
}
