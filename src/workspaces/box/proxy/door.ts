import { createServer, type IncomingMessage, request as sendPlain, type ServerResponse } from 'node:http'
import { request as sendEncrypted } from 'node:https'
import type { Server } from 'node:net'

import type { KeyedServer } from '../../port.ts'
import { inSlices, limitRequests } from '../limit-requests.ts'
import { answer, relay, requestHeaders } from '../relay.ts'
import { createMask, maskText } from './mask.ts'

/**
 * Creates an HTTP server through which a box reaches one other server with a key that the box does not have: the door
 * replaces the headers of the request that hold it. Whatever the request names, the door connects to that server alone.
 */
export function createDoor(keyed: KeyedServer): Server {
  const http = createServer(
    limitRequests((request, response) => {
      try {
        forward(keyed, request, response)
      } catch {
        answer(response, 502, 'the request cannot be forwarded')
      }
    }),
  )
  http.on('clientError', (_error, socket) => socket.destroy())
  // A model may be silent for days; the door ends with its box.
  http.requestTimeout = 0
  http.keepAliveTimeout = 0
  return inSlices(http)
}

/** TRACE would return the key, and DELETE removes what belongs to the owner of the key. */
const methods = ['GET', 'HEAD', 'POST']

function forward(keyed: KeyedServer, request: IncomingMessage, response: ServerResponse): void {
  const { method = '' } = request
  if (!methods.includes(method)) return refuse(request, response, 405, `the method ${method} is not forwarded`)
  const target = targetOf(keyed.url, request.url)
  if (target === null) return refuse(request, response, 400, 'this address is not below that of the server')
  const headers = requestHeaders(request)
  for (const name of keyHeaders) delete headers[name]
  for (const [name, value] of Object.entries(keyed.headers)) if (name in request.headers) headers[name] = value
  const send = target.protocol === 'https:' ? sendEncrypted : sendPlain
  const sent = send(target, {
    method,
    // A packed answer cannot be searched for the key.
    headers: { ...headers, 'accept-encoding': 'identity', host: target.host },
    agent: false,
    setHost: false,
  })
  const secrets = Object.values(keyed.headers).map((value) => value.replace(/^Bearer /, ''))
  relay(request, response, sent, {
    changeValue: (value) => maskText(value, secrets),
    body: () => createMask(secrets),
  })
}

/** Headers that hold keys; a key of the box's own is not forwarded. */
const keyHeaders = ['authorization', 'x-api-key', 'cookie']

function refuse(request: IncomingMessage, response: ServerResponse, status: number, why: string): void {
  request.resume()
  answer(response, status, why)
}

/** Returns the URL to which a path is forwarded, or null if it leads out of the base's path or is no path. */
function targetOf(base: string, path = ''): URL | null {
  const { origin, pathname } = new URL(base)
  const prefix = pathname.replace(/\/+$/, '')
  // The server may decode what is written with percent signs before it looks at the path.
  if (!path.startsWith('/') || /%(2e|2f|5c)|\\/i.test(path.split('?')[0] ?? '')) return null
  const url = URL.parse(origin + prefix + path)
  return url?.origin === origin && `${url.pathname}/`.startsWith(`${prefix}/`) ? url : null
}
