import { connect, type Socket } from 'node:net'

import { pause } from '../src/kernel/clock.ts'
import { type DaemonStage, openDaemonStage, type Puppet } from '../test/attacks/daemon-stage.ts'
import { burst, hold, longestWait, memoryOf, peakMemory } from '../test/attacks/load/stage.ts'
import { atMost, type Benchmark } from './figures.ts'

/** The time and memory that hostile requests take from others, compared with an idle daemon. */
export const hostile: Benchmark = {
  name: 'load',
  run: async ({ quick, log }) => {
    const daemon = await openDaemonStage()
    try {
      const puppet = await daemon.puppet()
      const idle = await longestWait(daemon, pause(quick ? 3_000 : 10_000))
      const byOperator = await longestWait(daemon, validate(daemon, '!a '.repeat(1_300_000)))
      const byAgent = await longestWait(daemon, validateAsAgent(puppet, '&a '.repeat(80_000)))
      log(`longest wait: idle ${shown(idle)}, operator's 3.9 MB ${shown(byOperator)}, agent's 240 KB ${shown(byAgent)}`)
      await pause(40_000)
      const before = memoryOf(daemon)
      const halfSent = await peakMemory(daemon, sendHalf(puppet, 256))
      const unknown = await peakMemory(daemon, sendWithoutToken(daemon, 256))
      log(`memory: idle ${megabytes(before)}, half-sent ${megabytes(halfSent)}, without a token ${megabytes(unknown)}`)
      return [
        atMost('hostile document of 3.9 MB: longest wait of others / idle', byOperator / idle, 5, '×'),
        atMost('hostile document of an agent: longest wait of others / idle', byAgent / idle, 5, '×'),
        atMost('256 half-sent bodies of an agent: resident memory / idle', halfSent / before, 1.2, '×'),
        atMost('256 half-sent bodies without a token: resident memory / idle', unknown / before, 1.2, '×'),
      ]
    } finally {
      await daemon.close()
    }
  },
}

const shown = (ms: number): string => `${ms.toFixed(0)} ms`
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

const validate = (daemon: DaemonStage, document: string): Promise<unknown> =>
  daemon.ask('POST', '/orgs/validate', { document })

const validateAsAgent = (puppet: Puppet, document: string): Promise<unknown> =>
  burst(puppet, [{ method: 'POST', path: '/orgs/validate', body: { document } }])

const head = (host: string, token: string, length: number): string =>
  `POST /api/attempt/report HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

const sendHalf = (puppet: Puppet, count: number): Promise<unknown> =>
  hold(puppet, `${head('127.0.0.1', 'TOKEN', 250_000)}{"summary":"${'x'.repeat(240_000)}`, count, 4)

async function sendWithoutToken({ address }: DaemonStage, count: number): Promise<void> {
  const { host, port } = new URL(address)
  const text = `${head(host, 'none', 7_900_000)}${'x'.repeat(1_000_000)}`
  const sockets: Socket[] = Array.from({ length: count }, () =>
    connect(Number(port), '127.0.0.1').on('error', () => {}),
  )
  for (const socket of sockets) socket.write(text)
  await pause(4_000)
  for (const socket of sockets) socket.destroy()
}
