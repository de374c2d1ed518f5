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
  /** Listens on both. `port` is given only if one was configured; it must then be free. */
  listen(on: { socket: string; port?: number | undefined }): Promise<Listening>
  /** Accepts no more requests, ends streams, and waits up to the grace period for open requests. */
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
      errorHandler: (error) => unparsedResponse(error, options),
    })
    const server = createHttpServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
      running.add(outgoing)
      outgoing.once('close', () => {
        running.delete(outgoing)
        if (running.size === 0) onIdle()
      })
      void listener(incoming, outgoing)
    })
    return server.on('clientError', refuseInvalidHttp)
  }

  const tcp = serverFor('tcp')
  const unix = serverFor('socket')

  return {
    async listen(on) {
      try {
        port = await listenOnPort(tcp, on.port)
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
