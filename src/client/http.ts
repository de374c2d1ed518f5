import { connect } from 'node:net'

/**
 * A request in the subset of HTTP/1.1 that the daemon uses, sent directly over a unix socket: loading `node:http` alone
 * would take as long as the start of Node itself.
 */
export interface HttpRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

export interface HttpHead {
  status: number
  headers: Map<string, string>
}

/** The daemon could not be reached: nothing was sent. */
export class Unreachable extends Error {
  readonly code: string
  constructor(code: string) {
    super(`the daemon cannot be reached (${code})`)
    this.code = code
  }
}

/** The connection ended before the answer did: the daemon may or may not have carried out the request. */
export class ConnectionLost extends Error {}

/** The connection is open, but the daemon sends nothing. */
export class NoAnswer extends Error {}

export interface Exchange {
  onHead(head: HttpHead): void
  /** The connection waits for a promise that it returns. */
  onBody(part: Buffer): void | Promise<void>
  /** The exchange fails after this long without a byte; 0: never. */
  silenceMs: number
  /** Aborts the exchange. */
  signal?: AbortSignal
}

/** Sends a request and feeds the answer to `exchange`; resolves when it is complete. */
export function exchange(
  socketPath: string,
  request: HttpRequest,
  { onHead, onBody, silenceMs, signal }: Exchange,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let connected = false
    const socket = connect(socketPath)
    const finish = (error?: Error): void => {
      socket.destroy()
      if (error === undefined) resolve()
      else reject(error)
    }
    let waiting = 0
    let isComplete = false
    const read = (part: Buffer): void => {
      const written = onBody(part)
      if (written === undefined) return
      waiting += 1
      socket.pause()
      written.then(
        () => {
          waiting -= 1
          if (waiting > 0) return
          if (isComplete) finish()
          else socket.resume()
        },
        (error: Error) => finish(error),
      )
    }
    const onEnd = (): void => {
      isComplete = true
      if (waiting === 0) finish()
    }
    const reader = createResponseReader({ onHead, onBody: read, onEnd })
    signal?.addEventListener('abort', () => finish(), { once: true })
    socket.on('connect', () => {
      connected = true
      socket.write(requestText(request))
    })
    socket.on('data', (part: Buffer) => {
      try {
        reader.push(part)
      } catch (error) {
        finish(error as Error)
      }
    })
    socket.on('error', (error: NodeJS.ErrnoException) =>
      finish(
        connected ? new ConnectionLost(error.code ?? error.message) : new Unreachable(error.code ?? error.message),
      ),
    )
    socket.on('end', () => (reader.close() ? finish() : finish(new ConnectionLost('the connection was closed'))))
    if (silenceMs > 0)
      socket.setTimeout(silenceMs, () => finish(new NoAnswer(`no answer within ${silenceMs / 1000} s`)))
  })
}

function requestText({ method, path, headers, body }: HttpRequest): string {
  let text = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`
  if (body !== undefined) text += `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  return `${text}\r\n${body ?? ''}`
}

interface ResponseListener {
  onHead(head: HttpHead): void
  onBody(part: Buffer): void
  onEnd(): void
}

/** Parses an answer as its bytes arrive, however they are split. */
export function createResponseReader(listener: ResponseListener): { push(part: Buffer): void; close(): boolean } {
  let rest: Buffer = Buffer.alloc(0)
  let state: 'head' | 'length' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer' | 'until-close' | 'done' = 'head'
  let remaining = 0

  const end = (): void => {
    state = 'done'
    listener.onEnd()
  }

  const takeLine = (): string | null => {
    const at = rest.indexOf('\r\n')
    if (at < 0) return null
    const line = rest.toString('latin1', 0, at)
    rest = rest.subarray(at + 2)
    return line
  }

  const takeBody = (): void => {
    const part = rest.subarray(0, remaining)
    rest = rest.subarray(part.length)
    remaining -= part.length
    if (part.length > 0) listener.onBody(part)
  }

  const readHead = (): boolean => {
    const at = rest.indexOf('\r\n\r\n')
    if (at < 0) return false
    const head = parseHead(rest.toString('latin1', 0, at))
    rest = rest.subarray(at + 4)
    // Informational statuses such as 100 precede the answer.
    if (head.status < 200) return true
    listener.onHead(head)
    const length = head.headers.get('content-length')
    if (head.status === 204 || head.status === 304 || length === '0') end()
    else if (/\bchunked\b/i.test(head.headers.get('transfer-encoding') ?? '')) state = 'chunk-size'
    else if (length === undefined) state = 'until-close'
    else {
      remaining = Number(length)
      state = 'length'
    }
    return true
  }

  /** Takes one step; returns false when it needs more bytes. */
  const step = (): boolean => {
    if (state === 'head') return readHead()
    if (state === 'until-close') {
      remaining = rest.length
      takeBody()
      return false
    }
    if (state === 'length' || state === 'chunk') {
      takeBody()
      if (remaining > 0) return false
      if (state === 'length') end()
      else state = 'chunk-end'
      return true
    }
    const line = state === 'done' ? null : takeLine()
    if (line === null) return false
    if (state === 'chunk-end') state = 'chunk-size'
    else if (state === 'trailer') {
      if (line === '') end()
    } else {
      remaining = Number.parseInt(line, 16)
      if (!(remaining >= 0)) throw new ConnectionLost('the answer is not HTTP')
      state = remaining === 0 ? 'trailer' : 'chunk'
    }
    return true
  }

  return {
    push(part) {
      rest = rest.length === 0 ? part : Buffer.concat([rest, part])
      while (step());
    },
    /** Called when the other side has closed; returns whether the answer was complete. */
    close() {
      if (state === 'until-close') end()
      return state === 'done'
    },
  }
}

function parseHead(text: string): HttpHead {
  const [first = '', ...lines] = text.split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1])
  if (!(status > 0)) throw new ConnectionLost('the answer is not HTTP')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return { status, headers }
}
