import type { Socket } from 'node:net'

import type { Attack } from '../contract.ts'
import { exchange, get, ok, type ProxyStage, proxyOf } from './stage.ts'

const slow =
  (...parts: string[]) =>
  (socket: Socket): void => {
    for (const part of parts) socket.write(part)
    setImmediate(() => socket.resetAndDestroy())
  }

/** Answers of a server that an agent asks. */
const answers: readonly (readonly [name: string, answer: ProxyStage['hostile']['answer']])[] = [
  ['a status below 100', 'HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n'],
  ['the status 000', 'HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n'],
  ['a status of four digits', 'HTTP/1.1 1000 X\r\ncontent-length: 0\r\n\r\n'],
  ['a negative status', 'HTTP/1.1 -1 X\r\ncontent-length: 0\r\n\r\n'],
  ['the status 100 for ever', (socket) => void socket.end('HTTP/1.1 100 Continue\r\n\r\n'.repeat(20_000))],
  ['a reason of a megabyte', `HTTP/1.1 200 ${'x'.repeat(1_000_000)}\r\n\r\n`],
  ['a reason with control characters', 'HTTP/1.1 200 \u0000\u0007\u007f\r\ncontent-length: 0\r\n\r\n'],
  ['ten thousand headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}\r\n`],
  ['headers with control characters', 'HTTP/1.1 200 OK\r\nx: a\u0000b\u0001\r\n\u0002: c\r\n\r\n'],
  ['headers that no server may send', 'HTTP/1.1 200 OK\r\nset-cookie: é\u00ff\r\nlocation: \u0080\r\n\r\nx'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 9\r\n\r\na'],
  ['a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n'],
  ['a length beyond all numbers', `HTTP/1.1 200 OK\r\ncontent-length: ${'9'.repeat(40)}\r\n\r\nx`],
  ['chunks without sense', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n-1\r\n'],
  ['a switch of protocols', 'HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\nbytes'],
  ['a reset in the body', slow('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n', 'half')],
  ['a reset in the headers', slow('HTTP/1.1 200 OK\r\nx: ')],
  ['another protocol', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000SSH-2.0-x\r\n'],
]

/** Reports whether the answer has ended the daemon or the proxy, or reached the agent with an invalid status. */
async function breaks(stage: ProxyStage, answer: ProxyStage['hostile']['answer']): Promise<boolean> {
  const before = proxyOf(stage)
  stage.hostile.answer = answer
  const [first = ''] = await exchange(stage.agent, 'proxy', get(stage.hostile.port), get(stage.honest.port)).then(
    ([hostile = '', honest = '']) => [`${hostile} ${honest.endsWith('honest') ? '' : 'no network'}`],
  )
  const status = /^HTTP\/1.1 (\S+)/.exec(first)?.[1]
  const isValid = status === undefined || /^[2-9]\d\d$/.test(status)
  return !stage.daemon.isAlive() || proxyOf(stage) !== before || first.endsWith('no network') || !isValid
}

export const answerAttacks: readonly Attack<ProxyStage>[] = [
  ...answers.map(([name, answer]): Attack<ProxyStage> => ({
    name: `a server answers with ${name}`,
    control: async (stage) => {
      stage.hostile.answer = ok
      return (await exchange(stage.agent, 'proxy', get(stage.hostile.port)))[0]?.endsWith('hello') === true
    },
    attack: (stage) => breaks(stage, answer),
  })),
  {
    name: 'a server sends a second answer, for the next request of the connection',
    control: async (stage) => {
      stage.hostile.answer = ok
      const kept = get(stage.hostile.port).replace('connection: close', 'accept: x')
      const [both = ''] = await exchange(stage.agent, 'proxy', kept + get(stage.honest.port))
      return both.includes('hello') && both.endsWith('honest')
    },
    attack: async (stage) => {
      const forged = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged'
      stage.hostile.answer = `HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello${forged}`
      const kept = get(stage.hostile.port).replace('connection: close', 'accept: x')
      const [both = ''] = await exchange(stage.agent, 'proxy', kept + get(stage.honest.port))
      return both.includes('forged')
    },
  },
]
