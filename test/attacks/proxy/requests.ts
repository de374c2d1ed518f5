import { spawnSync } from 'node:child_process'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { join } from 'node:path'

import { pause } from '../../../src/kernel/clock.ts'
import { createEgress, type Egress } from '../../../src/workspaces/box/egress.ts'
import type { Attack } from '../contract.ts'
import { exchange, get, ok, type ProxyStage, proxyOf } from './stage.ts'

/** Reports whether one of these texts, sent to the proxy, reached the server that the agent may not reach. */
async function reachesSecret(stage: ProxyStage, ...texts: string[]): Promise<boolean> {
  const before = stage.honest.secrets.length
  const proxy = proxyOf(stage)
  const answers = await exchange(stage.agent, 'proxy', ...texts)
  if (!stage.daemon.isAlive() || proxyOf(stage) !== proxy) return true
  return stage.honest.secrets.length > before || answers.some((each) => each.includes('secret of this machine'))
}

const reachesHonest = async (stage: ProxyStage, ...texts: string[]): Promise<boolean> =>
  (await exchange(stage.agent, 'proxy', ...texts)).every((each) => each.includes('honest'))

const inner = (path: string, host: string): string => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`
const tunnel = (target: string, bytes: string): string =>
  `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n${bytes.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')}`

/** Writings of 127.0.0.2. */
const writings = ['127.0.0.2', '127.2', '0x7f.2', '017700000002', '2130706434', '127.0.0.2.', '１２７.0.0.2']
const writings6 = ['::ffff:127.0.0.2', '::ffff:7f00:2', '::127.0.0.2', '64:ff9b::7f00:2', '2002:7f00:2::', '::1%25lo']

const metadata = [
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '[fe80::a9fe:a9fe]',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::]',
  '0xa9fea9fe',
  '2852039166',
]

export const requestAttacks: readonly Attack<ProxyStage>[] = [
  {
    name: 'an agent leaves connections to a server behind by leaving while its name is looked up',
    control: async () => (await keptOpen(false)) === 4,
    attack: async () => (await keptOpen(true)) > 0,
  },
  {
    name: 'an agent writes an address of this machine in other ways',
    control: (stage) =>
      reachesHonest(stage, ...['127.0.0.1', '127.1', '2130706433'].map((each) => get(stage.honest.port, '/', each))),
    attack: (stage) => {
      const hosts = [...writings, ...writings6.map((each) => `[${each}]`)]
      return reachesSecret(stage, ...hosts.map((each) => get(stage.honest.port, '/', each)))
    },
  },
  {
    name: 'an agent writes the target of a tunnel in other ways',
    control: ({ honest, ...stage }) =>
      reachesHonest({ honest, ...stage }, tunnel(`127.1:${honest.port}`, inner('/', 'x'))),
    attack: (stage) => {
      const { port } = stage.honest
      const targets = [...writings, ...writings6.map((each) => `[${each}]`)].map((each) => `${each}:${port}`)
      const odd = [
        '',
        ':',
        `:${port}`,
        `127.0.0.1:${port}@127.0.0.2:${port}`,
        `127.0.0.2:${port}/x`,
        `127.0.0.2:0${port}`,
      ]
      return reachesSecret(stage, ...[...targets, ...odd].map((each) => tunnel(each, inner('/', 'x'))))
    },
  },
  {
    name: 'an agent names an address of this machine that no list of interfaces has',
    control: async () => withOwnNetwork('all') === '200 200',
    attack: async () => withOwnNetwork('checked') !== '403 403',
    skip: () => (spawnSync('unshare', ['-rn', 'ip', 'link']).status === 0 ? null : 'this user has no own network'),
  },
  {
    name: 'an agent opens tunnels to targets that are none',
    control: (stage) => reachesHonest(stage, tunnel(`127.0.0.1:${stage.honest.port}`, inner('/', 'x'))),
    attack: async (stage) => {
      const targets = ['127.0.0.1:0', '127.0.0.1:99999', '127.0.0.1:-1', '*:80', '[::1', 'x'.repeat(300), '%00:80', '/']
      const proxy = proxyOf(stage)
      const answers = await exchange(stage.agent, 'proxy', ...targets.map((each) => tunnel(each, '')))
      return (
        !stage.daemon.isAlive() || proxyOf(stage) !== proxy || answers.some((each) => each.startsWith('HTTP/1.1 200'))
      )
    },
  },
  {
    name: 'the header Host names a permitted host, the URL another',
    control: (stage) => reachesHonest(stage, get(stage.honest.port).replace('host: 127.0.0.1', 'host: example.org')),
    attack: (stage) =>
      reachesSecret(stage, get(stage.honest.port, '/', '127.0.0.2').replace('host: 127.0.0.2', 'host: 127.0.0.1')),
  },
  {
    name: 'a second request of the same connection names another host',
    control: async (stage) => {
      const kept = get(stage.honest.port).replace('connection: close\r\n', '')
      const [both = ''] = await exchange(stage.agent, 'proxy', kept + get(stage.honest.port, '/second'))
      return both.split('honest').length === 3
    },
    attack: (stage) => {
      const kept = get(stage.honest.port).replace('connection: close\r\n', '')
      return reachesSecret(stage, kept + get(stage.honest.port, '/', '127.0.0.2'))
    },
  },
  {
    name: 'a request with a length and chunks hides another',
    control: (stage) => {
      const post = get(stage.honest.port)
        .replace('GET', 'POST')
        .replace('\r\n\r\n', '\r\ncontent-length: 4\r\n\r\nbody')
      return reachesHonest(stage, post)
    },
    attack: (stage) => {
      const hidden = get(stage.honest.port, '/', '127.0.0.2')
      const both = (length: number, coding: string): string =>
        get(stage.honest.port)
          .replace('GET', 'POST')
          .replace('connection: close', `content-length: ${length}\r\ntransfer-encoding: ${coding}`)
      return reachesSecret(
        stage,
        `${both(5, 'chunked')}0\r\n\r\n${hidden}`,
        `${both(hidden.length + 5, 'chunked')}0\r\n\r\n${hidden}`,
        `${both(5, 'identity')}0\r\n\r\n${hidden}`,
        `${both(5, 'chunked, identity')}0\r\n\r\n${hidden}`,
      )
    },
  },
  {
    name: 'the body of a request without a length becomes a second request',
    control: async (stage) => {
      stage.hostile.answer = ok
      const [answer] = await exchange(stage.agent, 'proxy', get(stage.hostile.port))
      return answer?.endsWith('hello') === true
    },
    attack: async (stage) => {
      // The server must see the body as one.
      stage.hostile.answer = (socket) => setTimeout(() => socket.end(ok), 100)
      const hidden = inner('/hidden', 'blocked.example')
      const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
      const asked = get(stage.hostile.port).replace('connection', 'transfer-encoding: chunked\r\nconnection')
      await exchange(stage.agent, 'proxy', asked + chunk)
      const seen = stage.hostile.requests.at(-1) ?? ''
      return seen.includes('/hidden') && !/transfer-encoding: chunked/i.test(seen)
    },
  },
  {
    name: 'headers of the connection reach the server',
    control: async (stage) => {
      stage.hostile.answer = ok
      await exchange(stage.agent, 'proxy', get(stage.hostile.port).replace('connection', 'x-mine: 1\r\nconnection'))
      return stage.hostile.requests.at(-1)?.includes('x-mine: 1') === true
    },
    attack: async (stage) => {
      stage.hostile.answer = ok
      const own = 'connection: close, x-mine, upgrade\r\nx-mine: 1\r\nupgrade: websocket\r\nproxy-authorization: x'
      await exchange(stage.agent, 'proxy', get(stage.hostile.port).replace('connection: close', own))
      return /x-mine|upgrade|proxy-authorization/i.test(stage.hostile.requests.at(-1) ?? 'upgrade')
    },
  },
  {
    name: 'an agent asks for the metadata of a cloud',
    control: (stage) => reachesHonest(stage, get(stage.honest.port)),
    attack: async (stage) => {
      const answers = await exchange(
        stage.agent,
        'proxy',
        ...metadata.map((each) => get(80, '/latest/meta-data/', each)),
        ...metadata.map((each) => tunnel(`${each}:80`, '')),
      )
      return !answers.every((each) => each.startsWith('HTTP/1.1 403 '))
    },
  },
  {
    name: 'a private host resolves to the metadata of a cloud',
    control: async () => (await ask({ private: ['metadata.lan'] }, ['127.0.0.1'])) === 200,
    attack: async () => {
      const addresses = metadata.flatMap((each) =>
        /^[[\d]+\./.test(each) || each.startsWith('[') ? [each.replace(/[[\]]/g, '')] : [],
      )
      const answers = await Promise.all(addresses.map((each) => ask({ private: ['metadata.lan', '*'] }, [each])))
      return answers.some((status) => status !== 403)
    },
  },
  {
    name: 'a name resolves to another address after it was checked',
    control: async () => (await ask({ private: ['metadata.lan'] }, ['127.0.0.1'], ['127.0.0.1'])) === 200,
    // The first answer is forbidden, the second would lead to the server.
    attack: async () => (await ask({ private: [] }, ['10.1.2.3'], ['127.0.0.1'])) !== 403,
  },
]

/**
 * Asks for two addresses through a proxy in a network of its own: one of an interface without a carrier, and one of a
 * network that is local by its route. Returns the statuses.
 */
function withOwnNetwork(which: 'all' | 'checked'): string {
  const addresses = ['203.0.113.9', '198.51.100.7'] as const
  const network = `ip link set lo up && ip link add own type veth peer name other && ip link set own up &&
ip addr add ${addresses[0]}/24 dev own && ip route add local 198.51.100.0/24 dev lo && exec "$@"`
  const script = join(import.meta.dirname, 'ask-own-address.ts')
  const words = ['-rn', 'sh', '-c', network, 'sh', process.execPath, script, which, ...addresses]
  const { stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' })
  if (!/^\d+ \d+$/.test(stdout.trim())) throw new Error(`it was not played: ${stderr}`)
  return stdout.trim()
}

/** Asks for a name through a proxy of its own, whose resolver gives these answers in turn. */
async function ask(policy: { private: string[] }, ...answers: string[][]): Promise<number> {
  const server = createServer((_, response) => response.end('reached'))
  const port = await listening(server)
  let at = 0
  const resolve: Egress['resolve'] = async () => answers[Math.min(at++, answers.length - 1)] ?? []
  const proxy = createEgress({ network: { allowed: true, allow: [], block: [], ...policy }, resolve })
  const proxyPort = await listening(proxy)
  try {
    return await new Promise((settle, reject) => {
      const headers = { host: 'x', connection: 'close' }
      request({ host: '127.0.0.1', port: proxyPort, path: `http://metadata.lan:${port}/`, headers }, (answer) => {
        answer.resume()
        settle(answer.statusCode ?? 0)
      })
        .on('error', reject)
        .end()
    })
  } finally {
    server.close()
    proxy.close()
  }
}

/** Returns how many connections to a server stay open after clients have sent a request, and left if they do. */
async function keptOpen(doLeave: boolean): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer().on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const port = await listening(server)
  const resolve: Egress['resolve'] = () => pause(100).then(() => ['127.0.0.1'])
  const proxy = createEgress({ network: { allowed: true, allow: [], block: [], private: ['slow.lan'] }, resolve })
  const proxyPort = await listening(proxy)
  // A box looks up four names at the same time.
  const clients = Array.from({ length: 4 }, () => connect(proxyPort, '127.0.0.1').on('error', () => {}))
  try {
    for (const each of clients)
      each.write(`POST http://slow.lan:${port}/ HTTP/1.1\r\nhost: slow.lan\r\ncontent-length: 9\r\n\r\n`)
    await pause(50)
    if (doLeave) for (const each of clients) each.destroy()
    await pause(500)
    return sockets.size
  } finally {
    for (const each of [...clients, ...sockets]) each.destroy()
    server.close()
    proxy.close()
  }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
