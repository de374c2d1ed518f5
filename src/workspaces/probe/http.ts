import { createHash } from 'node:crypto'
import { request, type IncomingMessage } from 'node:http'
import { connect, createServer, type LookupFunction } from 'node:net'

import { textOf } from '../text.ts'

export type HttpResult =
  | { outcome: 'answered'; status: number; bytes: number; sha256: string; body: string }
  | { outcome: 'failed'; why: string }
  /** No server listens yet, or it does not answer properly. */
  | { outcome: 'silent' }

/** An endless body would be read until the deadline; no response worth checking is larger. */
const maxBodyRead = 16 * 1024 ** 2

/**
 * Sends one GET over a connection of its own, bypassing any proxy. A redirect is a result: its target is not the
 * server.
 */
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
      if (bytes > maxBodyRead) return { outcome: 'failed', why: 'the response is larger than 16 MB' }
    }
    const body = textOf(Buffer.concat(head), maxBodyBytes)
    return { outcome: 'answered', status: response.statusCode ?? 0, bytes, sha256: hash.digest('hex'), body }
  } catch {
    return { outcome: 'silent' }
  }
}

const get = (url: string, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { host, hostname, port, pathname, search } = new URL(url)
    const sent = request(
      {
        host: hostname.replace(/^\[|\]$/g, ''),
        lookup: loopback,
        port: port === '' ? '80' : port,
        path: pathname + search,
        headers: { Host: host, ...ordinaryHeaders },
        agent: false,
        signal,
      },
      resolve,
    )
    // Node would say that it closes the connection.
    sent.removeHeader('connection')
    sent.once('error', reject)
    sent.end()
  })

/** A server must not recognise the check: these are the headers of the most usual client. */
const ordinaryHeaders = { 'User-Agent': 'curl/8.5.0', Accept: '*/*' }

/** The machine's own hosts table could map "localhost" to any address. */
const loopback: LookupFunction = (_name, _options, callback) =>
  callback(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ])

/** Reports whether a server listens on the port, on either of the loopback addresses. */
export async function isListening(port: number): Promise<boolean> {
  const connected = await Promise.all(['127.0.0.1', '::1'].map((host) => connects(host, port)))
  return connected.includes(true)
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
    // Neither accepted nor refused: the backlog is full, so a server listens.
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
