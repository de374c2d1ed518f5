import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'

export interface RelayOptions {
  /** Changes the values of the answer's headers. */
  readonly changeValue?: (value: string) => string
  /** Changes the body of the answer; it keeps the length. */
  readonly body?: () => Transform
}

/**
 * Relays a request to a server and its answer back. The server may answer anything: an answer that is not HTTP, or has
 * no valid status, becomes a 502; one that breaks off in its body breaks off.
 */
export function relay(
  request: IncomingMessage,
  response: ServerResponse,
  sent: ClientRequest,
  { changeValue = (value) => value, body }: RelayOptions = {},
): void {
  const fail = (why: string): void => {
    sent.destroy()
    if (response.headersSent) response.destroy()
    else answer(response, 502, why)
  }
  sent.once('response', (received) => {
    received.on('error', () => response.destroy())
    const { statusCode = 0 } = received
    if (statusCode < 200 || statusCode > 999) return fail(`the server answered with the status ${statusCode}`)
    try {
      response.writeHead(statusCode, changed(endToEnd(received.headers), changeValue))
    } catch {
      return fail('the server answered with invalid headers')
    }
    // Node sends the headers with the first byte of the body, for which a client may have to wait long.
    response.flushHeaders()
    if (body === undefined) received.pipe(response)
    else
      received
        .pipe(body())
        .on('error', () => response.destroy())
        .pipe(response)
  })
  sent.once('upgrade', (_received, socket) => {
    socket.destroy()
    fail('the server switched to another protocol')
  })
  sent.on('error', (error: NodeJS.ErrnoException) =>
    fail(`${String(sent.getHeader('host'))} cannot be reached (${error.code ?? 'no HTTP'})`),
  )
  request.on('error', () => sent.destroy())
  response.on('error', () => sent.destroy())
  response.once('close', () => sent.destroy())
  request.pipe(sent)
}

export function answer(response: ServerResponse, status: number, why: string): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`agency: ${why}\n`)
}

/** Returns the headers of a request without those for this connection; its body stays one body of the same form. */
export function requestHeaders(request: IncomingMessage): IncomingHttpHeaders {
  const { expect: _answeredHere, ...headers } = endToEnd(request.headers)
  return request.headers['transfer-encoding'] === undefined ? headers : { ...headers, 'transfer-encoding': 'chunked' }
}

/** Headers for the proxy itself and for a single connection, which are not forwarded. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  // The length belongs to the body, whatever the header says.
  const dropped = new Set([...hopByHop, ...named.filter((name) => name !== 'content-length')])
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)))
}

const changed = (headers: IncomingHttpHeaders, change: (value: string) => string): IncomingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(change) : value === undefined ? value : change(value),
    ]),
  )
