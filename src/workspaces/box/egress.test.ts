import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createServer as createHttpServer, request, type Server } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createEgress, type Egress } from './egress.ts'
import { isLocalAddress } from './addresses.ts'
import { matchesHost, readTarget } from './hosts.ts'
import { pipeTo } from './pipe.ts'

const open = { allowed: true, allow: [], block: [] }

async function listening<S extends { listen(port: number, host: string, then: () => void): unknown }>(
  server: S,
): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void (server as unknown as Server).close())
  return ((server as unknown as Server).address() as AddressInfo).port
}

/** A proxy for whom every name is the server of the test, and its address nothing to be afraid of. */
async function createProxy(parts: Partial<Egress> = {}): Promise<number> {
  return listening(
    createEgress({ network: open, resolve: async () => ['127.0.0.1'], isForbidden: () => false, ...parts }),
  )
}

const get = (
  proxy: number,
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port: proxy, path: url, headers: { host: 'x', ...headers } },
      (answer) => {
        let body = ''
        answer.setEncoding('utf8').on('data', (text: string) => (body += text))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
      },
    )
    asked.on('error', reject).end()
  })

const tunnel = (proxy: number, target: string, sent: string): Promise<string> =>
  new Promise((resolve) => {
    const socket: Socket = connect(proxy, '127.0.0.1')
    let text = ''
    socket
      .on('data', (chunk) => (text += String(chunk)))
      .on('close', () => resolve(text))
      .on('error', () => {})
    socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n${sent}`)
  })

const echoing = () =>
  listening(
    createHttpServer((asked, answer) => answer.end(`${asked.method} ${asked.url} ${JSON.stringify(asked.headers)}`)),
  )

describe('the proxy', () => {
  it('passes a request on, without what was meant for the proxy alone', async () => {
    const [proxy, port] = [await createProxy(), await echoing()]
    const { status, body } = await get(proxy, `http://example.org:${port}/a?b=c`, {
      'proxy-authorization': 'x',
      accept: 'y',
    })
    expect(status).toBe(200)
    expect(body).toContain('GET /a?b=c')
    expect(body).toContain(`"host":"example.org:${port}"`)
    expect(body).toContain('"accept":"y"')
    expect(body).not.toContain('proxy-authorization')
  })

  it('leads bytes through a tunnel, both ways', async () => {
    const port = await listening(createServer((socket) => void socket.on('error', () => {}).pipe(socket)))
    const socket = connect(await createProxy(), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(`CONNECT example.org:${port} HTTP/1.1\r\nhost: x\r\n\r\nhello`)
    const text = await new Promise<string>((resolve) => {
      let all = ''
      socket.on('data', (chunk) => {
        all += String(chunk)
        if (all.includes('hello')) resolve(all)
      })
    })
    expect(text).toBe('HTTP/1.1 200 Connection established\r\n\r\nhello')
  })

  it.each([
    ['blocked', { ...open, block: ['example.org'] }, 'blocked by "example.org"'],
    ['blocked below', { ...open, block: ['org'] }, 'blocked by "org"'],
    ['not allowed', { ...open, allow: ['example.com'] }, 'not on the list'],
  ])('answers 403 for a host that is %s, and says why', async (_name, network, why) => {
    const told: string[] = []
    const proxy = await createProxy({ network, refused: (host, said) => told.push(`${host}: ${said}`) })
    const { status, body } = await get(proxy, 'http://www.example.org/')
    expect([status, body]).toEqual([403, expect.stringContaining(why)])
    expect(await tunnel(proxy, 'www.example.org:443', '')).toMatch(/^HTTP\/1.1 403 Forbidden/)
    expect(told).toHaveLength(2)
  })

  it('looks at the address behind a name, and connects to that one', async () => {
    const port = await echoing()
    let asked = 0
    // The second answer would be let in.
    const resolve = async () => ((asked += 1) === 1 ? ['10.0.0.1'] : ['127.0.0.1'])
    const proxy = await createProxy({ resolve, isForbidden: (address) => address.startsWith('10.') })
    expect(await get(proxy, `http://rebinding.example:${port}/`)).toMatchObject({ status: 403 })
    expect(asked).toBe(1)
  })

  it('lets a host of the own network through where it is named', async () => {
    const port = await echoing()
    const proxy = await createProxy({ network: { ...open, private: ['registry.lan'] }, isForbidden: isLocalAddress })
    expect(await get(proxy, `http://registry.lan:${port}/`)).toMatchObject({ status: 200 })
    expect(await get(proxy, `http://other.lan:${port}/`)).toMatchObject({ status: 403 })
  })

  it.each(['/relative', 'https://example.org/', 'ftp://example.org/', 'http://user:word@example.org/'])(
    'refuses %s',
    async (url) => {
      expect(await get(await createProxy(), url)).toMatchObject({ status: 400 })
    },
  )

  it('says 502 where nobody is', async () => {
    const proxy = await createProxy({ resolve: async () => [] })
    expect(await get(proxy, 'http://nowhere.example/')).toMatchObject({ status: 502 })
    expect(await tunnel(await createProxy(), 'example.org:1', '')).toMatch(/^HTTP\/1.1 502/)
  })
})

it.each([
  '127.0.0.1',
  '127.9.9.9',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fd00::1',
  'fe80::1',
  'ff02::1',
  'nonsense',
])('%s is an address of ours', (address) => {
  expect(isLocalAddress(address)).toBe(true)
})

it.each(['8.8.8.8', '172.32.0.1', '1.1.1.1', '2606:4700:4700::1111'])('%s is not', (address) => {
  expect(isLocalAddress(address)).toBe(false)
})

it('knows a host by its name, its names below and its address', () => {
  expect(matchesHost('API.Example.org.', 'example.org')).toBe(true)
  expect(matchesHost('notexample.org', 'example.org')).toBe(false)
  expect(matchesHost('example.org', '*.example.org')).toBe(false)
  expect(matchesHost('a.example.org', '*.example.org')).toBe(true)
  expect(matchesHost('8.8.8.8', '8.8')).toBe(false)
  expect(matchesHost('[2001:db8::1]', '2001:db8::1')).toBe(true)
  expect(matchesHost('anything', '*')).toBe(true)
})

it.each([
  ['0x7f.1:80', { host: '127.0.0.1', port: 80 }],
  ['2130706433:80', { host: '127.0.0.1', port: 80 }],
  ['EXAMPLE.org.:443', { host: 'example.org', port: 443 }],
  ['[::1]:8080', { host: '::1', port: 8080 }],
  ['example.org', { host: 'example.org', port: 443 }],
  ['user@example.org:443', null],
  ['example.org/path:443', null],
  ['', null],
])('reads %s', (authority, target) => {
  expect(readTarget(authority, 443)).toEqual(target)
})

describe('a connection that is led on', () => {
  it('carries every byte both ways, and each side’s end', async () => {
    const sent = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7_919) >> 5))
    const answering = createServer({ allowHalfOpen: true }, (socket) => {
      const got: Buffer[] = []
      socket.on('data', (chunk) => got.push(chunk)).on('end', () => socket.end(Buffer.concat(got).reverse()))
    })
    const port = await listening(answering)
    const between = await listening(
      createServer({ allowHalfOpen: true }, (inner) => void pipeTo(inner, { host: '127.0.0.1', port })),
    )
    const client = connect({ port: between, host: '127.0.0.1', allowHalfOpen: true })
    client.end(sent)
    const got: Buffer[] = []
    for await (const chunk of client) got.push(chunk as Buffer)
    expect(Buffer.concat(got).equals(Buffer.from(sent).reverse())).toBe(true)
  })

  it('ends where there is nobody', async () => {
    const between = await listening(
      createServer({ allowHalfOpen: true }, (inner) => void pipeTo(inner, { host: '127.0.0.1', port: 1 })),
    )
    const client = connect({ port: between, host: '127.0.0.1' })
    await new Promise<void>((resolve) =>
      client
        .on('error', () => {})
        .on('close', () => resolve())
        .resume(),
    )
    expect(client.destroyed).toBe(true)
  })
})
