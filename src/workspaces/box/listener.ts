import type { Server, Socket } from 'node:net'

/** Open connections of one socket: more would use up the file descriptors of the process. */
export const maxConnections = 256

export interface Listener {
  readonly listening: Promise<void>
  /** Ends its connections too. */
  close(): void
}

/** Lets a server listen at the path of a socket. */
export function listenAt(server: Server, path: string, atOnce = maxConnections): Listener {
  const sockets = new Set<Socket>()
  server.maxConnections = atOnce
  server.on('connection', (each: Socket) => {
    // A peer may reset its connection at any time.
    each.on('error', () => each.destroy())
    sockets.add(each)
    each.once('close', () => sockets.delete(each))
  })
  const listening = new Promise<void>((resolve, reject) => {
    // After the first one, it is a connection that could not be accepted: the next one may be.
    server.on('error', reject)
    server.listen(path, () => resolve())
  })
  return {
    listening,
    close: () => {
      server.close()
      for (const each of sockets) each.destroy()
    },
  }
}
