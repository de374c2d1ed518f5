import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createDoor } from './door.ts'
import { createMask } from './mask.ts'

const key = 'sk-real-0123456789'

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (each: Socket) => sockets.add(each))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const each of sockets) each.destroy()
  })
  return (server.address() as AddressInfo).port
}

/** Starts a server with a door before it; returns the port of the door and the requests that arrive. */
async function openDoor(path = '', handle: Parameters<typeof createServer>[1] = (_, answer) => answer.end('ok')) {
  const arrived: IncomingMessage[] = []
  const upstream = createServer((asked, answer) => {
    arrived.push(asked)
    handle?.(asked, answer)
  })
  const port = await listening(upstream)
  const headers = { 'x-api-key': key, authorization: `Bearer ${key}` }
  const door = await listening(createDoor({ url: `http://127.0.0.1:${port}${path}`, headers }))
  return { door, port, arrived }
}

const ask = (port: number, path: string, headers: Record<string, string> = {}, method = 'POST') =>
  new Promise<{ status: number; body: string; headers: IncomingMessage['headers'] }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (text: string) => (body += text))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body, headers: answer.headers }))
    })
    asked.on('error', reject).end('{}')
  })

describe('the door of a model’s server', () => {
  it('replaces the key of a request, and adds none to a request without', async () => {
    const { door, port, arrived } = await openDoor()
    await ask(door, '/v1/messages?beta=true', { 'x-api-key': 'dummy', 'anthropic-version': '1', cookie: 'a=b' })
    await ask(door, '/v1/messages', { authorization: 'Bearer dummy' })
    await ask(door, '/v1/messages')
    expect(arrived.map(({ headers }) => [headers['x-api-key'], headers.authorization])).toEqual([
      [key, undefined],
      [undefined, `Bearer ${key}`],
      [undefined, undefined],
    ])
    expect(arrived[0]).toMatchObject({
      url: '/v1/messages?beta=true',
      headers: { 'anthropic-version': '1', host: `127.0.0.1:${port}` },
    })
    expect(arrived[0]?.headers.cookie).toBeUndefined()
  })

  it('keeps the path of the server’s address', async () => {
    const { door, arrived } = await openDoor('/anthropic/')
    expect((await ask(door, '/v1/messages')).status).toBe(200)
    expect(arrived[0]?.url).toBe('/anthropic/v1/messages')
  })

  it.each([
    '/../admin',
    '/v1/../../admin',
    '/%2e%2e/admin',
    '/..%2fadmin',
    '/..%5cadmin',
    '/..\\admin',
    'http://other.example/v1',
    '*',
  ])('refuses the address %s', async (path) => {
    const { door, arrived } = await openDoor('/anthropic')
    expect((await ask(door, path)).status).toBe(400)
    expect(arrived).toEqual([])
  })

  it('stays with its server if the path looks like another', async () => {
    const { door, arrived } = await openDoor()
    expect((await ask(door, '//other.example/v1', { host: 'other.example' })).status).toBe(200)
    expect((await ask(door, '/@other.example/v1')).status).toBe(200)
    expect(arrived.map(({ url }) => url)).toEqual(['//other.example/v1', '/@other.example/v1'])
  })

  it.each(['TRACE', 'DELETE', 'PUT', 'OPTIONS'])('refuses the method %s', async (method) => {
    const { door, arrived } = await openDoor()
    expect((await ask(door, '/v1/messages', {}, method)).status).toBe(405)
    expect(arrived).toEqual([])
  })

  it('passes a stream on as it comes, and its end when it breaks off', async () => {
    const { door } = await openDoor('', (_, answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    })
    const asked = request({ host: '127.0.0.1', port: door, path: '/v1/messages', headers: { 'x-api-key': 'x' } })
    const first = await new Promise<string>((resolve) => {
      asked
        .on('error', () => {})
        .on('response', (answer) => answer.on('error', () => {}).once('data', (data) => resolve(String(data))))
      asked.end()
    })
    expect(first).toBe('data: 1\n\n')
    asked.destroy()
  })

  it('answers 502 for a server that is gone', async () => {
    const headers = { 'x-api-key': key }
    const door = await listening(createDoor({ url: 'http://127.0.0.1:1', headers }))
    expect(await ask(door, '/v1/messages')).toMatchObject({
      status: 502,
      body: 'agency: 127.0.0.1:1 cannot be reached (ECONNREFUSED)\n',
    })
  })

  it('masks a key that the server returns', async () => {
    const { door } = await openDoor('', (asked, answer) => {
      answer.writeHead(401, { 'x-echo': `key ${asked.headers['x-api-key']}` })
      answer.end(`{"error":"invalid key ${asked.headers['x-api-key']}"}`)
    })
    const { status, body, headers } = await ask(door, '/v1/messages', { 'x-api-key': 'dummy' })
    const stars = '*'.repeat(key.length)
    expect([status, body, headers['x-echo']]).toEqual([401, `{"error":"invalid key ${stars}"}`, `key ${stars}`])
  })

  it('opens no tunnel', async () => {
    const { door, arrived } = await openDoor()
    const socket = connect(door, '127.0.0.1')
    let text = ''
    const closed = new Promise(
      (resolve) => void socket.on('data', (data) => (text += String(data))).on('close', resolve),
    )
    socket.on('error', () => {}).write('CONNECT 127.0.0.1:1 HTTP/1.1\r\nhost: x\r\n\r\n')
    await closed
    expect([text, arrived]).toEqual(['', []])
  })
})

it.each([1, 2, 7, 30])('masks a secret in chunks of %i bytes', async (size) => {
  const mask = createMask(['secret-1', 'secret-22'])
  const text = 'a secret-1 b secret-22 c secret- d secre'
  for (let at = 0; at < text.length; at += size) mask.write(Buffer.from(text.slice(at, at + size)))
  mask.end()
  let seen = ''
  for await (const chunk of mask) seen += String(chunk)
  expect(seen).toBe('a ******** b ********* c secret- d secre')
})
