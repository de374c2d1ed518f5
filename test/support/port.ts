import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that nobody listens on. Below those that the system hands out by itself: a daemon that is started again on the
 * same port would otherwise find it taken by whoever connected somewhere in between.
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
