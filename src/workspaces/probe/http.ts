import { createHash } from 'node:crypto'
import { request, type IncomingMessage } from 'node:http'
import { connect, createServer, type LookupFunction } from 'node:net'

import { textOf } from '../text.ts'

export type HttpResult =
  | { outcome: 'answered'; status: number; bytes: number; sha256: string; body: string }
  | { outcome: 'failed'; why: string }
  /** Nobody listens yet, or nobody answers properly. */
  | { outcome: 'silent' }

/** A body that never ends would be read until the deadline; nothing that is worth checking is larger. */
const largestBody = 16 * 1024 ** 2

/** One GET over a connection of its own, past any proxy. Redirects are answers: what they point at is not the server. */
export async function requestUrl(url: string, maxBodyBytes: number, signal: AbortSignal): Promise<HttpResult> {
  try {
    const response = await get(url, signal)
    const hash = createHash('sha256')
    const head: Buffer[] = []
    let bytes = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      hash.update(chunk)
      if (bytes <= maxBodyBytes) head.push(Buffer.from(chunk.subarray(0, maxBodyBytes + 1 - bytes)))
      bytes += chunk.length
      if (bytes > largestBody) return { outcome: 'failed', why: 'the answer is larger than 16 MB' }
    }
    const body = textOf(Buffer.concat(head), maxBodyBytes)
    return { outcome: 'answered', status: response.statusCode ?? 0, bytes, sha256: hash.digest('hex'), body }
  } catch {
    return { outcome: 'silent' }
  }
}

const get = (url: string, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url)
    const asked = request(
      {
        host: hostname.replace(/^\[|\]$/g, ''),
        lookup: loopback,
        port: port === '' ? '80' : port,
        path: pathname + search,
        headers: { host: `${hostname}:${port}`, connection: 'close', accept: '*/*' },
        agent: false,
        signal,
      },
      resolve,
    )
    asked.once('error', reject)
    asked.end()
  })

/** By the machine's own tables "localhost" could be anybody. */
const loopback: LookupFunction = (_name, _options, callback) =>
  callback(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ])

/** Whether anybody listens there, on either of the loopback addresses. */
export async function isListening(port: number): Promise<boolean> {
  const found = await Promise.all(['127.0.0.1', '::1'].map((host) => connects(host, port)))
  return found.includes(true)
}

const connects = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 })
    const end = (connected: boolean) => () => {
      socket.destroy()
      resolve(connected)
    }
    socket.once('connect', end(true))
    socket.once('error', end(false))
    // Neither accepted nor refused: a queue that is full. Somebody is there.
    socket.once('timeout', end(true))
  })

export async function findFreePort(refused: readonly number[]): Promise<number> {
  for (;;) {
    const port = await freePort()
    if (!refused.includes(port)) return port
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
