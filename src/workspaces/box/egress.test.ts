import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createServer as createHttpServer, request, type Server } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createEgress, type Egress } from './egress.ts'
import { isLocalAddress, isMetadataAddress } from './addresses.ts'
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

/** Creates a proxy that resolves every name to the server of the test, and forbids no address. */
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
  it('forwards a request without the headers for the proxy', async () => {
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

  it('forwards bytes through a tunnel, in both directions', async () => {
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
    ['not allowed', { ...open, allow: ['example.com'] }, 'it is not an allowed host'],
  ])('answers 403 with the reason for a host that is %s', async (_name, network, why) => {
    const reported: string[] = []
    const proxy = await createProxy({ network, refused: (host, reason) => reported.push(`${host}: ${reason}`) })
    const { status, body } = await get(proxy, 'http://www.example.org/')
    expect([status, body]).toEqual([403, expect.stringContaining(why)])
    expect(await tunnel(proxy, 'www.example.org:443', '')).toMatch(/^HTTP\/1.1 403 Forbidden/)
    expect(reported).toHaveLength(2)
  })

  it('checks the resolved address of a name, and resolves it only once', async () => {
    const port = await echoing()
    let asked = 0
    // The second address would be permitted.
    const resolve = async () => ((asked += 1) === 1 ? ['10.0.0.1'] : ['127.0.0.1'])
    const proxy = await createProxy({ resolve, isForbidden: (address) => address.startsWith('10.') })
    expect(await get(proxy, `http://rebinding.example:${port}/`)).toMatchObject({ status: 403 })
    expect(asked).toBe(1)
  })

  it('permits a host of the private network that is named in the policy', async () => {
    const port = await echoing()
    const proxy = await createProxy({ network: { ...open, private: ['registry.lan'] }, isForbidden: isLocalAddress })
    expect(await get(proxy, `http://registry.lan:${port}/`)).toMatchObject({ status: 200 })
    expect(await get(proxy, `http://other.lan:${port}/`)).toMatchObject({ status: 403 })
  })

  it('permits an address of a metadata service only if the policy names the address itself', async () => {
    const decided = async (rule: string, address: string): Promise<number> => {
      const proxy = await createProxy({
        network: { ...open, private: [rule] },
        isForbidden: isLocalAddress,
        resolve: async () => [address],
      })
      // The tunnel is refused before a connection is tried.
      return Number(/^HTTP\/1.1 (\d+)/.exec(await tunnel(proxy, 'metadata.lan:1', ''))?.[1] ?? 0)
    }
    expect(await decided('metadata.lan', '168.63.129.16')).toBe(403)
    expect(await decided('*', '::ffff:168.63.129.16')).toBe(403)
    expect(await decided('metadata.lan', '127.0.0.1')).toBe(502)
  })

  it.each(['/relative', 'https://example.org/', 'ftp://example.org/', 'http://user:word@example.org/'])(
    'rejects the URL %s',
    async (url) => {
      expect(await get(await createProxy(), url)).toMatchObject({ status: 400 })
    },
  )

  it.each([
    ['a status below 100', 'HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n'],
    ['the status 000', 'HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 1000 X\r\ncontent-length: 0\r\n\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['informational answers alone', 'HTTP/1.1 103 Hints\r\n\r\n'.repeat(50)],
    ['too many header lines', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['nothing at all', ''],
  ])('answers 502 for %s', async (_name, answer) => {
    const port = await listening(createServer((socket) => void socket.on('error', () => {}).end(answer)))
    expect(await get(await createProxy(), `http://example.org:${port}/`)).toMatchObject({ status: 502 })
  })

  it('closes the tunnel if it cannot be made', async () => {
    const proxy = await createProxy({ resolve: async () => ['no address'] })
    expect(await tunnel(proxy, 'example.org:443', '')).toMatch(/^HTTP\/1.1 502/)
    expect(await get(proxy, 'http://example.org/')).toMatchObject({ status: 502 })
  })

  it('passes the body of a request on as one body', async () => {
    let seen = ''
    const server = createServer((each) => void each.on('error', () => {}).on('data', (data) => (seen += String(data))))
    const [proxy, port] = [await createProxy(), await listening(server)]
    const inner = 'GET /second HTTP/1.1\r\nhost: blocked.example\r\n\r\n'
    const socket = connect(proxy, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const chunked = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`
    const head = 'host: x\r\ntransfer-encoding: chunked\r\n\r\n'
    socket.write(`GET http://example.org:${port}/ HTTP/1.1\r\n${head}${chunked}`)
    await expect.poll(() => seen).toContain('/second')
    expect(seen.toLowerCase()).toContain('transfer-encoding: chunked')
  })

  it('looks up at most four names of a box at the same time, and addresses without waiting', async () => {
    const target = await echoing()
    let lookups = 0
    const { promise: silence, resolve: breakSilence } = Promise.withResolvers<void>()
    const { promise: full, resolve: isFull } = Promise.withResolvers<void>()
    const resolve = async (host: string): Promise<readonly string[]> => {
      if (host === '127.0.0.1') return [host]
      lookups += 1
      if (lookups === 4) isFull()
      await silence
      return []
    }
    const proxy = await createProxy({ resolve })
    const answers = Array.from({ length: 20 }, (_, at) => get(proxy, `http://silent-${at}.example/`))
    await full
    expect((await get(proxy, `http://127.0.0.1:${target}/`)).status).toBe(200)
    expect(lookups).toBe(4)
    breakSilence()
    for (const { status } of await Promise.all(answers)) expect(status).toBe(502)
    expect(lookups).toBe(20)
  })

  it('closes a connection that contains more requests than may wait for an answer', async () => {
    let received = 0
    const silent = await listening(
      createServer((socket) => void socket.on('error', () => {}).once('data', () => (received += 1))),
    )
    const proxy = await createProxy()
    const socket = connect(proxy, '127.0.0.1')
    const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve))
    socket.write(`GET http://127.0.0.1:${silent}/ HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(300))
    await closed
    expect(received).toBeLessThanOrEqual(256)
    const target = await echoing()
    expect((await get(proxy, `http://127.0.0.1:${target}/`)).status).toBe(200)
  })

  it('answers 502 for a host that does not exist or does not listen', async () => {
    const proxy = await createProxy({ resolve: async () => [] })
    expect(await get(proxy, 'http://nowhere.example/')).toMatchObject({ status: 502 })
    expect(await tunnel(await createProxy(), 'example.org:1', '')).toMatch(/^HTTP\/1.1 502/)
  })
})

it.each([
  '169.254.169.254',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a83f:8110',
  '2002:a9fe:a9fe::1',
])('treats %s as an address of a metadata service', (address) => {
  expect([isMetadataAddress(address), isLocalAddress(address)]).toEqual([true, true])
})

it.each(['168.63.129.17', '10.0.0.1', '127.0.0.1', '::1', '::ffff:127.0.0.1', 'fd00::1', '8.8.8.8', 'nonsense'])(
  'does not treat %s as an address of a metadata service',
  (address) => {
    expect(isMetadataAddress(address)).toBe(false)
  },
)

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
])('treats %s as a local address', (address) => {
  expect(isLocalAddress(address)).toBe(true)
})

it.each(['8.8.8.8', '172.32.0.1', '1.1.1.1', '2606:4700:4700::1111'])(
  'does not treat %s as a local address',
  (address) => {
    expect(isLocalAddress(address)).toBe(false)
  },
)

it('matches a host by its name, its subdomains and its address', () => {
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
])('parses the target %j', (authority, target) => {
  expect(readTarget(authority, 443)).toEqual(target)
})

describe('a piped connection', () => {
  it('transfers every byte in both directions, and the end of each side', async () => {
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

  it('closes if the target does not listen', async () => {
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
