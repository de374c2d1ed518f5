import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'

import { expect, it, onTestFinished } from 'vitest'

import { createTurns, slicedConnection, type TakeTurn } from './sliced-connection.ts'

/** Connects to a server that sends these bytes and closes. */
async function connectTo(bytes: string): Promise<Socket> {
  const server = createServer((socket) => void socket.on('error', () => {}).end(bytes))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return connect((server.address() as AddressInfo).port, '127.0.0.1')
}

/** Turns that are taken only when the test says so. */
function heldTurns(): { takeTurn: TakeTurn; take: () => void } {
  const steps: (() => void)[] = []
  return {
    takeTurn: (step) => void steps.push(step),
    take: () => {
      for (let step = steps.shift(); step !== undefined; step = steps.shift()) step()
    },
  }
}

it('keeps bytes that wait for their turn when the other side closes', async () => {
  const { takeTurn, take } = heldTurns()
  const connection = await connectTo('the whole answer')
  const sliced = slicedConnection(connection, takeTurn)
  const read = text(sliced)
  await once(connection, 'data')
  await once(connection, 'close')
  take()
  await expect(read).resolves.toBe('the whole answer')
})

it('keeps bytes that a slow reader has not read yet when the other side closes', async () => {
  const bytes = 'x'.repeat(30_000)
  const connection = await connectTo(bytes)
  const sliced = slicedConnection(connection, createTurns())
  const chunks: string[] = []
  for await (const chunk of slowly(sliced)) chunks.push(chunk)
  expect(chunks.join('')).toBe(bytes)
  expect(connection.destroyed).toBe(true)
})

it('closes with a connection that breaks off', async () => {
  const server = createServer((socket) => void socket.resetAndDestroy())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const connection = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const sliced = slicedConnection(connection, createTurns())
  connection.on('error', (error) => sliced.destroy(error))
  sliced.resume()
  await expect(once(sliced, 'close')).rejects.toThrow('ECONNRESET')
})

it('passes on the end of a side that still waits for the answer', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const sliced = slicedConnection(socket, createTurns())
    void text(sliced).then((asked) => sliced.end(`answer to ${asked}`))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.end('a question')
  await expect(text(client)).resolves.toBe('answer to a question')
})

/** Reads with a pause before each chunk. */
async function* slowly(stream: Duplex): AsyncGenerator<string> {
  for await (const chunk of stream) {
    await new Promise((resolve) => setImmediate(resolve))
    yield String(chunk)
  }
}
