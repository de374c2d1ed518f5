import type { RequestListener, Server as HttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'

import { maxConnections } from './listener.ts'
import { createTurns, slicedConnection } from './sliced-connection.ts'

/**
 * Limits the requests of one box that wait for an answer; a connection with more of them is closed. One connection can
 * contain thousands of requests, and each opens a connection to a server: the process would run out of file descriptors
 * for all boxes.
 */
export function limitRequests(handle: RequestListener): RequestListener {
  let waiting = 0
  return (request, response) => {
    if (waiting === maxConnections) return void request.socket.destroy()
    waiting += 1
    response.once('close', () => (waiting -= 1))
    handle(request, response)
  }
}

/** Creates a server that hands its connections to an HTTP server in slices, so that other boxes have their turn. */
export function inSlices(http: HttpServer): Server {
  const takeTurn = createTurns()
  return createServer({ allowHalfOpen: true }, (connection) => {
    http.emit('connection', slicedConnection(connection, takeTurn))
  })
}
