import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { pause } from '../../../src/kernel/clock.ts'
import { askedBy } from './asked.ts'
import { chat } from './chat.ts'
import { messages } from './messages.ts'
import type { Protocol } from './protocol.ts'
import { responses } from './responses.ts'
import { type Asked, createScript, type Reply, type Rule } from './script.ts'

/** A model server that plays a script through every API; it listens on this machine only. */
export interface ModelServer {
  readonly url: string
  readonly port: number
  /** Every model request, in order. */
  readonly asked: readonly (Asked & { readonly headers: IncomingMessage['headers'] })[]
  /** All other requests, such as `HEAD /`. */
  readonly others: readonly string[]
  play(rules: readonly Rule[]): void
  /** Stops listening: connections are refused. `start` uses the same port again. */
  stop(): Promise<void>
  start(): Promise<void>
}

export async function startModelServer(rules: readonly Rule[] = [], host = '127.0.0.1'): Promise<ModelServer> {
  const asked: (Asked & { headers: IncomingMessage['headers'] })[] = []
  const others: string[] = []
  let script = createScript(rules)
  let count = 0
  let port = 0

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url?.split('?')[0] ?? ''
    const protocol = protocols.get(path.replace(/\/count_tokens$/, ''))
    if (request.method !== 'POST' || protocol === undefined) {
      others.push(`${request.method} ${request.url}`)
      return void response.writeHead(request.method === 'HEAD' ? 200 : 404).end()
    }
    const body = await bodyOf(request)
    if (body === null)
      return sendJson(response, 400, protocol.error({ type: 'invalid_request_error', message: 'the body is not JSON' }))
    if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: 100 })
    const question = askedBy(protocol, body)
    asked.push({ ...question, headers: request.headers })
    count += 1
    await reply(response, protocol, script(question), question, `${port}_${count}`)
  }
  const make = () =>
    createServer((request, response) => {
      answer(request, response).catch(() => response.destroy())
    })
  let server = make()
  const start = async (): Promise<void> => {
    server = make()
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
    port = (server.address() as AddressInfo).port
  }
  await start()
  return {
    url: `http://${host}:${port}`,
    port,
    asked,
    others,
    play: (next) => void (script = createScript(next)),
    start,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const protocols: ReadonlyMap<string, Protocol> = new Map([
  ['/v1/messages', messages],
  ['/v1/responses', responses],
  ['/v1/chat/completions', chat],
])

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>
  } catch {
    return null
  }
}

async function reply(
  response: ServerResponse,
  protocol: Protocol,
  given: Reply,
  { model, body }: Asked,
  id: string,
): Promise<void> {
  if (given === 'hang') return
  if (given === 'refuse') return void response.destroy()
  if ('html' in given) return void response.writeHead(given.status, { 'content-type': 'text/html' }).end(given.html)
  if ('error' in given) return sendJson(response, given.status, protocol.error(given.error), given.headers)
  if (given.firstByteMs !== undefined) await pause(given.firstByteMs)
  if (body['stream'] !== true) return sendJson(response, 200, protocol.whole(given, model, id))
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${id}` })
  for (const [at, { event, data }] of protocol.pieces(given, model, id).entries()) {
    if (at === given.cutAfter) return void response.destroy()
    const failed = at === given.failAfter ? protocol.failure({ type: 'overloaded_error', message: 'Overloaded' }) : null
    if (at > 0 && given.paceMs !== undefined) await pause(given.paceMs)
    const text = failed === null ? linesOf(event, data) : linesOf(failed.event, failed.data)
    // Each piece is flushed before the next one: a closed connection must not drop earlier pieces.
    await new Promise((resolve) => response.write(text, resolve))
    if (failed !== null) break
  }
  response.end()
}

const linesOf = (event: string | undefined, data: object | string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
