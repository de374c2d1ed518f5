import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Finds a free port below the range that the system assigns to outgoing connections: otherwise a connection opened
 * between two starts of a daemon could occupy its port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 22_000)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
