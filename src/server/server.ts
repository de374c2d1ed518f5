import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'

import { getRequestListener, RequestError } from '@hono/node-server'

import { refusal } from '../kernel/errors.ts'
import { type AppOptions, createApp } from './app.ts'
import type { Via } from './guards.ts'
import { listenOnPort, listenOnSocket } from './listen.ts'
import { bugResponse, problemResponse } from './problem.ts'

export type ServerOptions = AppOptions

export interface Listening {
  /** `http://127.0.0.1:7717` */
  address: string
  port: number
  socket: string
}

export interface Server {
  /** `port`: only where one was configured; it must then be free. */
  listen(places: { socket: string; port?: number | undefined }): Promise<Listening>
  /** Takes no more, ends streams, and waits for what is being answered, for a while. */
  stop(): Promise<void>
}

const graceMs = 5_000

export function createServer(options: ServerOptions): Server {
  const stopping = new AbortController()
  const running = new Set<ServerResponse>()
  let onIdle = (): void => {}
  let port = 0
  const app = createApp(options, { port: () => port, stopping: stopping.signal })

  function serverFor(via: Via): HttpServer {
    const listener = getRequestListener((request, env) => app.fetch(request, { ...env, via }), {
      errorHandler: (error) => unanswerable(error, options),
    })
    const server = createHttpServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
      running.add(outgoing)
      outgoing.once('close', () => {
        running.delete(outgoing)
        if (running.size === 0) onIdle()
      })
      void listener(incoming, outgoing)
    })
    return server.on('clientError', refuseGarbage)
  }

  const tcp = serverFor('tcp')
  const unix = serverFor('socket')

  return {
    async listen(places) {
      try {
        port = await listenOnPort(tcp, places.port)
        await listenOnSocket(unix, places.socket)
      } catch (error) {
        await Promise.all([close(tcp), close(unix)])
        throw error
      }
      return { address: `http://127.0.0.1:${port}`, port, socket: places.socket }
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

const close = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => (server.listening ? void server.close(() => resolve()) : resolve()))

/** What never became a request of ours: an address or header that cannot be parsed. */
function unanswerable(error: unknown, { log }: ServerOptions): Response {
  if (error instanceof RequestError) return problemResponse(refusal('invalid_input', 'the request cannot be read'))
  log.error('a bug before any request', { error })
  return bugResponse('no request')
}

/** Bytes that are no HTTP at all: answered as far as that is possible. */
function refuseGarbage(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const text = JSON.stringify({ code: 'invalid_input', message: 'this is not HTTP that can be read', exit: 2 })
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}
