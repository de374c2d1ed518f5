import { connect, type Socket } from 'node:net'

import { pause } from '../../../src/kernel/clock.ts'
import type { Attack } from '../contract.ts'
import { burst, count, hold, isHeldUp, type LoadStage, memoryOf, peakMemory } from './stage.ts'

const line = (message: string) => ({ method: 'POST', path: '/events', body: { kind: 'log', message } })

const logs = async ({ puppet }: LoadStage): Promise<boolean> => (await burst(puppet, [line('harmless')]))[0] === 200

const head = (length: number | 'chunked', token = 'TOKEN'): string =>
  `POST /api/attempt/report HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${
    length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
  }\r\n\r\n`

const half = (bytes: number): string => `${head(bytes + 1_000)}{"summary":"${'x'.repeat(bytes)}`

/** Reports whether the daemon needs far more memory meanwhile. */
async function takesMemory({ daemon }: LoadStage, work: () => Promise<unknown>): Promise<boolean> {
  const before = memoryOf(daemon)
  return (await peakMemory(daemon, work())) > 1.2 * before + 10_000_000
}

export const bodyAttacks: readonly Attack<LoadStage>[] = [
  {
    name: 'a body of an agent is larger than 256 KB',
    control: logs,
    attack: async ({ puppet }) => {
      const request = { ...line('x'), raw: `{"kind":"log","message":"${'x'.repeat(300_000)}"}` }
      return (await burst(puppet, [request]))[0] !== 413
    },
  },
  {
    name: 'a body has 30,000 unknown keys',
    control: logs,
    attack: async ({ puppet }) => {
      const raw = `{${Array.from({ length: 30_000 }, (_, at) => `"${at}":0`).join(',')}}`
      return (await burst(puppet, [{ ...line('x'), raw }]))[0] !== 413
    },
  },
  {
    name: 'bodies are nested far too deeply',
    control: logs,
    attack: (stage) => {
      const raw = `{"kind":"log","message":${'['.repeat(120_000)}${']'.repeat(120_000)}}`
      return isHeldUp(
        stage,
        burst(
          stage.puppet,
          [1, 2, 3, 4].map(() => ({ ...line('x'), raw })),
        ),
      )
    },
  },
  {
    name: '256 half-sent bodies of an agent take the memory of the daemon',
    control: logs,
    attack: (stage) => takesMemory(stage, () => hold(stage.puppet, half(240_000), 256, 3)),
    isLong: true,
  },
  {
    name: 'an agent sends 256 bodies of 7.9 MB',
    control: logs,
    attack: (stage) =>
      takesMemory(stage, () => hold(stage.puppet, `${head(7_900_000)}${'x'.repeat(2_000_000)}`, 256, 3)),
    isLong: true,
  },
  {
    name: 'bodies without a token are kept in memory',
    control: async ({ daemon }) => (await daemon.ask('GET', '/runs?limit=1')).status === 200,
    attack: (stage) =>
      takesMemory(stage, async () => {
        const { port } = new URL(stage.daemon.address)
        const text = `${head(7_900_000, 'none').replace('127.0.0.1', `127.0.0.1:${port}`)}${'x'.repeat(1_000_000)}`
        const sockets: Socket[] = Array.from({ length: 128 }, () =>
          connect(Number(port), '127.0.0.1').on('error', () => {}),
        )
        for (const socket of sockets) socket.write(text)
        await pause(2_000)
        for (const socket of sockets) socket.destroy()
      }),
    isLong: true,
  },
  {
    name: 'a body arrives in parts of one byte',
    control: logs,
    attack: (stage) =>
      takesMemory(stage, () => hold(stage.puppet, `${head('chunked')}${'1\r\nx\r\n'.repeat(200_000)}`, 8, 4)),
    isLong: true,
  },
  {
    name: 'an agent sends twenty bodies at the same time',
    control: logs,
    attack: async ({ puppet }) =>
      (await hold(puppet, half(1_000), 20, 1)).filter((answer) => answer.startsWith('HTTP/1.1 429')).length < 12,
  },
  {
    name: 'a body never ends',
    control: logs,
    attack: async (stage) => {
      const puppet = await stage.fresh()
      await hold(puppet, half(1_000), 8, 24)
      return (await burst(puppet, [line('after')]))[0] !== 200
    },
    isLong: true,
  },
  {
    name: 'an agent opens forty live streams',
    control: logs,
    attack: async ({ puppet }) => {
      const text = `GET /api/runs/${puppet.runId}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\nAccept: text/event-stream\r\n\r\n`
      const answers = await hold(puppet, text, 40, 1)
      return answers.filter((answer) => answer.startsWith('HTTP/1.1 200')).length > 16
    },
  },
  {
    name: 'long addresses, many headers and long keys hold up others',
    control: logs,
    attack: (stage) => {
      const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x-${at}`, 'y'.repeat(30)]))
      const requests = [
        { method: 'GET', path: `/runs?state=${'a,'.repeat(6_000)}` },
        { method: 'GET', path: `/${'a/'.repeat(6_000)}` },
        { ...line('x'), headers: many },
        { ...line('x'), headers: { 'idempotency-key': 'k'.repeat(12_000) } },
      ]
      return isHeldUp(stage, burst(stage.puppet, [...requests, ...requests, ...requests]))
    },
  },
  {
    name: 'a box sends thousands of requests without waiting for answers',
    isLong: true,
    control: logs,
    attack: async (stage) => {
      const { shell } = await stage.fresh()
      return isHeldUp(stage, shell(`exec '${process.execPath}' -e '${unanswered}'`))
    },
  },
  {
    name: 'an agent asks a thousand times at once',
    control: logs,
    attack: async (stage) => {
      const puppet = await stage.fresh()
      const statuses = await burst(
        puppet,
        Array.from({ length: 1_000 }, () => ({ method: 'GET', path: '/attempt/brief' })),
        8,
      )
      return count(statuses, 429) === 0
    },
    isLong: true,
  },
]

/** Opens 100 connections and writes 300 requests into each at once. */
const unanswered = `const net = require("net");
const request = "GET /api/whoami HTTP/1.1\\r\\nhost: x\\r\\nauthorization: Bearer " + process.env.AGENCY_TOKEN + "\\r\\n\\r\\n";
for (let at = 0; at < 100; at++) net.connect(process.env.AGENCY_SOCKET).on("error", () => {}).on("data", () => {}).write(request.repeat(300));
setTimeout(() => process.exit(), 6000)`
