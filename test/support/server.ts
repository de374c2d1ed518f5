import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

import type { Db } from '../../src/db/port.ts'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import { randomToken } from '../../src/kernel/ids.ts'
import { type Log, type LogFields, type LogLevel, logLevels } from '../../src/kernel/log.ts'
import type { Route } from '../../src/operations/bind.ts'
import {
  type AttemptStanding,
  createCredentials,
  type CredentialOptions,
  type Credentials,
} from '../../src/server/credentials.ts'
import { createSessions, type Sessions } from '../../src/sessions/service.ts'
import { createServer, type Server, type ServerOptions } from '../../src/server/server.ts'
import { freshFolder, testChainKey } from './store.ts'

export interface LogLineSeen extends LogFields {
  level: LogLevel
  message: string
}

export interface TestServer {
  server: Server
  credentials: Credentials
  sessions: Sessions
  operatorToken: string
  address: string
  port: number
  socket: string
  logged: LogLineSeen[]
  /** Sends a request; by default as the operator, over TCP. */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>
}

export interface SendOptions {
  /** null: no token. */
  token?: string | null
  headers?: Record<string, string>
  /** Sent as JSON, unless it is text or bytes. */
  body?: unknown
  via?: 'tcp' | 'socket'
}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  json: Record<string, unknown>
}

export interface TestServerOptions extends Partial<Omit<ServerOptions, 'routes' | 'once'>> {
  db: Db
  routes: readonly Route[]
  attempts?: Record<string, AttemptStanding>
  findAttempt?: CredentialOptions['findAttempt']
  /** Path of the socket; one of its own by default. */
  socket?: string
}

/** Starts a real server on a free port and a socket of its own, until the end of the test. */
export async function startServer({
  db,
  routes,
  attempts = {},
  findAttempt = async (id) => attempts[id],
  socket: at,
  ...options
}: TestServerOptions): Promise<TestServer> {
  const operatorToken = `opr_${randomToken()}`
  const clock: Clock = options.clock ?? systemClock
  const logged: LogLineSeen[] = []
  const credentials =
    options.credentials ?? createCredentials({ operatorToken, chainKey: testChainKey, clock, findAttempt })
  const sessions = options.sessions ?? createSessions({ db, clock, operatorToken })
  const server = createServer({
    routes,
    credentials,
    sessions,
    once: db.once,
    clock,
    log: createSeenLog(logged),
    webRoot: null,
    version: '0.0.0-test',
    ...options,
  })
  const { address, port, socket } = await server.listen({ socket: at ?? join(freshFolder(), 'agency.sock'), port: 0 })
  onTestFinished(() => server.stop())
  const send: TestServer['send'] = (method, path, given = {}) =>
    sendTo(given.via === 'socket' ? { socketPath: socket } : { port }, method, path, {
      token: operatorToken,
      ...given,
    })
  return { server, credentials, sessions, operatorToken, address, port, socket, logged, send }
}

export function createSeenLog(lines: LogLineSeen[]): Log {
  const write = (level: LogLevel) => (message: string, fields?: LogFields) =>
    void lines.push({ ...fields, level, message })
  return Object.fromEntries(logLevels.map((level) => [level, write(level)])) as Log
}

/** Sends one request on a connection of its own, with exactly these headers. */
export function sendTo(
  place: { port: number } | { socketPath: string },
  method: string,
  path: string,
  { token, headers = {}, body }: SendOptions = {},
): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const payload = body === undefined ? undefined : isRaw ? body : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        ...place,
        host: 'port' in place ? '127.0.0.1' : undefined,
        agent: false,
        method,
        path,
        headers: {
          ...(token === undefined || token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
          ...(payload === undefined || 'transfer-encoding' in headers
            ? {}
            : { 'content-length': Buffer.byteLength(payload) }),
          ...headers,
        },
      },
      (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8')
          const isJson = /json/.test(response.headers['content-type'] ?? '')
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {},
          })
        })
      },
    )
    request.on('error', reject)
    request.end(payload)
  })
}
