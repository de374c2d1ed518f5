import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * The fate of one COMMIT: it passes; it reaches the server and its answer is lost with the connection; the same, and no
 * later connection succeeds; or the connection breaks before the server gets it.
 */
export type CommitFate = 'passes' | 'answer_lost' | 'last' | 'never_sent'

/** Starts a proxy before a server of PostgreSQL that decides the fate of each COMMIT of a write; returns its URL. */
export async function startCommitProxy(url: string, fateOf: (number: number) => CommitFate): Promise<string> {
  const { port: serverPort, hostname } = new URL(url)
  const sockets = new Set<Socket>()
  let commits = 0
  let isDown = false
  const server = createServer((client) => {
    if (isDown) return void client.destroy()
    const upstream = connect(Number(serverPort), hostname)
    let isDeaf = false
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', end)
    }
    client.on('data', (chunk: Buffer) => {
      const fate = chunk.includes(commitMessage) ? fateOf(++commits) : 'passes'
      if (fate === 'last') isDown = true
      if (fate === 'never_sent') return end()
      if (fate === 'answer_lost' || fate === 'last') isDeaf = true
      upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => {
      if (!isDeaf) return void client.write(chunk)
      end()
      if (isDown) for (const socket of sockets) socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number }
  const through = new URL(url)
  through.port = String(port)
  return through.href
}

/** A simple query, as `pg` sends a statement without parameters: its type, its length, its text and a zero. */
const commitMessage = Buffer.from('Q\0\0\0\u000bCOMMIT\0', 'latin1')
