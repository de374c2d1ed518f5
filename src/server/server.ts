import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { getRequestListener, RequestError } from '@hono/node-server'

import { refusal } from '../kernel/errors.ts'
import { createSlots } from '../kernel/slots.ts'
import { type AppOptions, createApp } from './app.ts'
import type { FromBox, Via } from './credentials.ts'
import { listenOnPort, listenOnSocket } from './listen.ts'
import { bugResponse, problemResponse } from './problem.ts'
import { createTurns, slicedConnection } from '../workspaces/box/sliced-connection.ts'

export type ServerOptions = AppOptions

export interface Listening {
  /** `http://127.0.0.1:7717` */
  address: string
  port: number
  socket: string
}

export interface Server {
  /** Returns the handler of connections from the box whose agent has this token. */
  openBox(token: string): (connection: Socket) => void
  /** Listens on both. `port` is given only if one was configured; it must then be free. `usual` ports are tried first. */
  listen(on: { socket: string; port?: number | undefined; usual?: readonly number[] }): Promise<Listening>
  /** Accepts no more requests, ends streams, and waits up to the grace period for open requests. */
  stop(): Promise<void>
}

const graceMs = 5_000
/** More than the live streams and the bodies of an agent, which have limits of their own. */
const boxRequestsAtOnce = 64
/** Every user of this machine can connect to the port: more connections would take the file descriptors of the daemon. */
const tcpConnections = 400
/** Bytes of a body that wait to be read: with more than these, its connection is not read either. */
const heldBytes = 16 * 1024

export function createServer(options: ServerOptions): Server {
  const stopping = new AbortController()
  const running = new Set<ServerResponse>()
  let onIdle = (): void => {}
  let port = 0
  const app = createApp(options, { port: () => port, stopping: stopping.signal })

  function serverFor(viaOf: (incoming: IncomingMessage) => Via): HttpServer {
    const fetchApp = (request: Request, env: { incoming: IncomingMessage; outgoing: ServerResponse }) =>
      app.fetch(request, { ...env, via: viaOf(env.incoming) })
    const listener = getRequestListener((request, env) => fetchApp(request, env as never), {
      errorHandler: (error) => unparsedResponse(error, options),
      autoCleanupIncoming: false,
    })
    const server = createHttpServer({ highWaterMark: heldBytes }, (incoming, outgoing) => {
      if (isFlood(incoming.socket, outgoing)) return
      running.add(outgoing)
      outgoing.once('close', () => {
        running.delete(outgoing)
        if (running.size === 0) onIdle()
      })
      leaveRest(incoming, outgoing, options)
      void listener(incoming, outgoing)
    })
    return server.on('clientError', refuseInvalidHttp)
  }

  const tcp = serverFor(() => 'tcp')
  tcp.maxConnections = tcpConnections
  // Boxes hand their connections over instead of connecting to the socket, so each is known by its box.
  const boxes = new WeakMap<Duplex, FromBox>()
  const unix = serverFor((incoming) => boxes.get(incoming.socket) ?? 'socket')
  const boxRequests = createSlots(boxRequestsAtOnce)
  const refused = new WeakSet<Duplex>()
  /** An answer that waits behind another does not notice that its connection was closed. */
  const held = new WeakMap<Duplex, Set<() => void>>()

  /**
   * Ends the connection of a box that does not wait for answers. A connection can contain thousands of requests, and
   * others would wait until each of them is answered.
   */
  function isFlood(socket: Duplex, outgoing: ServerResponse): boolean {
    if (refused.has(socket)) return true
    const from = boxes.get(socket)
    if (from === undefined) return false
    const free = boxRequests.take(from.attemptId ?? '')
    if (free !== null) {
      const own = held.get(socket) ?? new Set()
      held.set(socket, own.add(free))
      outgoing.once('close', () => {
        own.delete(free)
        free()
      })
      return false
    }
    refused.add(socket)
    outgoing.writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '1', connection: 'close' })
    const message = `more than ${boxRequestsAtOnce} requests of this box wait for an answer`
    outgoing.end(JSON.stringify({ code: 'rate_limited', message, hint: 'Wait for the answers.', exit: 1 }))
    return true
  }

  return {
    openBox(token) {
      const from: FromBox = { attemptId: options.credentials.bindToBox(token) }
      const takeTurn = createTurns()
      return (connection) => {
        const sliced = slicedConnection(connection, takeTurn)
        boxes.set(sliced, from)
        sliced.once('close', () => held.get(sliced)?.forEach((free) => free()))
        unix.emit('connection', sliced)
      }
    },
    async listen(on) {
      try {
        port = await listenOnPort(tcp, on.port, on.usual)
        await listenOnSocket(unix, on.socket)
      } catch (error) {
        await Promise.all([close(tcp), close(unix)])
        throw error
      }
      return { address: `http://127.0.0.1:${port}`, port, socket: on.socket }
    },
    async stop() {
      stopping.abort()
      const closed = Promise.all([close(tcp), close(unix)])
      await new Promise<void>((resolve) => {
        if (running.size === 0) return resolve()
        const cancel = options.clock.after(graceMs, resolve)
        onIdle = () => {
          cancel()
          resolve()
        }
      })
      for (const server of [tcp, unix]) server.closeAllConnections()
      await closed
    },
  }
}

const lingerMs = 500

/**
 * Leaves the rest of a body with its sender if the response was sent before it arrived: reading it only to drop it takes
 * memory until the next garbage collection. The sender still gets the response; closing at once could lose it.
 */
function leaveRest(incoming: IncomingMessage, outgoing: ServerResponse, { clock }: ServerOptions): void {
  if (incoming.headers['content-length'] === undefined && incoming.headers['transfer-encoding'] === undefined) return
  // Node would read an untouched body to its end.
  incoming.read(0)
  // The sender must not use the connection again: the rest of the body would be taken for its next request.
  const writeHead = outgoing.writeHead.bind(outgoing) as (...head: readonly unknown[]) => ServerResponse
  outgoing.writeHead = (...head: readonly unknown[]) => {
    if (!incoming.complete) outgoing.shouldKeepAlive = false
    return writeHead(...head)
  }
  outgoing.once('finish', () => {
    if (incoming.complete) return void incoming.resume()
    incoming.pause()
    const { socket } = incoming
    socket.end()
    const cancel = clock.after(lingerMs, () => socket.destroy())
    socket.once('close', cancel)
  })
}

const close = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => (server.listening ? void server.close(() => resolve()) : resolve()))

/** Returns the response to a request whose URL or header cannot be parsed. */
function unparsedResponse(error: unknown, { log }: ServerOptions): Response {
  if (error instanceof RequestError) return problemResponse(refusal('invalid_input', 'the request cannot be parsed'))
  log.error('handling a request failed before it was parsed', { error })
  return bugResponse('no request')
}

/** Answers bytes that are not HTTP, as far as possible. */
function refuseInvalidHttp(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const text = JSON.stringify({ code: 'invalid_input', message: 'the request is not valid HTTP', exit: 2 })
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}
