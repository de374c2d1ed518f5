import { type AgencyError, refusal } from '../kernel/errors.ts'
import { pause, systemClock } from '../kernel/clock.ts'
import { randomToken } from '../kernel/ids.ts'
import type { Endpoint } from '../operations/endpoint.ts'
import { ApiError, apiErrorOf } from '../operations/problem.ts'
import { requestFor } from '../operations/request.ts'
import { ConnectionLost, exchange, type HttpHead, type HttpRequest, NoAnswer, Unreachable } from './http.ts'
import { authorization, parseAnswer, receive, send } from './send.ts'
import { createStreamReader, type StreamMessage } from '../kernel/event-stream.ts'
import type { Versions } from './versions.ts'

export interface ClientOptions {
  socket(): string
  /** Read for each request: the daemon that creates the token may only just have been started. */
  token(): string
  /** Called when nothing listens; resolves once a retry makes sense, or throws the error to report. */
  whenDown(): Promise<void>
  /** Takes warnings and notices for the person at the terminal. */
  notify(line: string): void
  versions: Versions
}

/** The command line's client of the daemon. */
export interface Client {
  /** Calls an operation and returns its answer as JSON. */
  call<T = Record<string, unknown>>(endpoint: Endpoint, input?: object): Promise<T>
  /** Returns the same answer as YAML, rendered by the daemon. */
  yaml(endpoint: Endpoint, input?: object): Promise<string>
  /** Hands the bytes of a file over as they arrive; the connection waits until `write` is done. */
  download(endpoint: Endpoint, input: object, write: (part: Buffer) => void | Promise<void>): Promise<void>
  /**
   * Yields the messages of a live stream after `lastId`, and `open` each time that it has connected. When the daemon
   * goes away, the stream waits for the next daemon and resumes after the last message. It ends when the daemon reports
   * that no more can come.
   */
  follow(
    endpoint: Endpoint,
    input: object,
    options?: { lastId?: string; signal?: AbortSignal },
  ): AsyncGenerator<StreamMessage | 'open'>
}

/** A daemon that was killed is back within seconds; one that stays away for longer was stopped on purpose. */
const awayMs = 60_000
const retryMs = 250

export function createClient(options: ClientOptions): Client {
  async function sendReliably(endpoint: Endpoint, input: object, accept: string): Promise<string> {
    const request = requestFor(endpoint, input)
    const isRead = request.method === 'GET'
    // All tries carry the same key: the daemon carries the operation out once even if the first try reached it.
    const key = isRead ? {} : { idempotencyKey: randomToken() }
    const once = (): Promise<string> =>
      send({ socket: options.socket(), token: options.token() }, request, { accept, ...key, onHead: readHead })
    try {
      return await sendWhenUp(once)
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw toRefusal(error)
      options.notify(
        `agency: the connection was lost after sending; ${isRead ? 'asking again' : 'repeating the request under the same key'}`,
      )
      return await sendWhenUp(once).catch((again: unknown) => {
        throw toRefusal(again)
      })
    }
  }

  function readHead(head: HttpHead): void {
    options.versions.note(head)
    for (const text of head.headers.get('agency-warning')?.split(',') ?? [])
      options.notify(`warning: ${decodeURIComponent(text)}`)
  }

  async function sendWhenUp<T>(once: () => Promise<T>): Promise<T> {
    try {
      return await once()
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      await options.whenDown()
      return await once()
    }
  }

  async function* follow(
    endpoint: Endpoint,
    input: object,
    { lastId, signal }: { lastId?: string; signal?: AbortSignal } = {},
  ): AsyncGenerator<StreamMessage | 'open'> {
    const { method, path } = requestFor(endpoint, input)
    let last = lastId
    let awaySince: number | null = null
    for (;;) {
      const headers = {
        ...authorization(options.token()),
        Accept: 'text/event-stream',
        ...(last === undefined ? {} : { 'Last-Event-ID': last }),
      }
      try {
        for await (const message of streamOnce(options, { method, path, headers }, signal)) {
          awaySince = null
          if (message !== 'open' && message.event === 'end') return
          if (message !== 'open' && message.id !== null) last = message.id
          yield message
        }
      } catch (error) {
        if (!isAway(error)) throw toRefusal(error)
        if (awaySince !== null && systemClock.nowMs() - awaySince > awayMs) throw goneAway()
      }
      if (signal?.aborted === true) return
      if (awaySince === null) {
        awaySince = systemClock.nowMs()
        options.notify('agency: the connection was lost; waiting for the daemon')
      }
      await pause(retryMs)
    }
  }

  return {
    call: async <T>(endpoint: Endpoint, input: object = {}) =>
      options.versions.read(endpoint, parseAnswer<T>(await sendReliably(endpoint, input, 'application/json'))),
    yaml: (endpoint, input = {}) => sendReliably(endpoint, input, 'application/yaml'),
    download: async (endpoint, input, write) => {
      const request = requestFor(endpoint, input)
      // Not repeated: a part of the file may have been written already.
      await sendWhenUp(() =>
        receive({ socket: options.socket(), token: options.token() }, request, { onHead: readHead, write }),
      ).catch((error: unknown) => {
        throw toRefusal(error)
      })
    },
    follow,
  }
}

async function* streamOnce(
  { socket, versions }: Pick<ClientOptions, 'socket' | 'versions'>,
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
  exchange(socket(), request, {
    onHead: (head) => {
      versions.note(head)
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
      else if (status !== 200 && status !== 0) throw apiErrorOf(status, Buffer.concat(failure).toString('utf8'))
      else return
    }
  } finally {
    stop.abort()
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof Unreachable ||
  error instanceof ConnectionLost ||
  (error instanceof ApiError && error.problem.code === 'stopping')

const goneAway = (): AgencyError =>
  refusal('stopping', 'the daemon is gone', { hint: 'Start it with "agency up", then repeat the command.' })

function toRefusal(error: unknown): unknown {
  const problem =
    error instanceof Unreachable || error instanceof ConnectionLost
      ? 'went away'
      : error instanceof NoAnswer
        ? 'does not answer'
        : null
  if (problem === null) return error
  return refusal('stopping', `the daemon ${problem} (${(error as Error).message})`, {
    hint: 'Run "agency doctor" for details.',
    cause: error,
  })
}
