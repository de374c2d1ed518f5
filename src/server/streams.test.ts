import { type IncomingMessage, request as httpRequest } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'

import { expectProblem } from '../../test/support/notes.ts'
import { startServer, type TestServer } from '../../test/support/server.ts'
import { describeStores, freshSqlite, testChainKey } from '../../test/support/store.ts'
import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import type { Db, Stream } from '../db/port.ts'
import { appendEvent, type NewEvent } from '../events/append.ts'
import { createFeed } from '../events/feed.ts'
import { eventRoutes } from '../events/routes.ts'
import { createEvents } from '../events/service.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import { notFound, refusal } from '../kernel/errors.ts'
import { acceptedFormat } from './accept.ts'
import { createAttemptToken, type CredentialOptions } from './credentials.ts'

const write = (db: Db, stream: Stream, message: string, more: Partial<NewEvent> = {}): Promise<number> =>
  db.write([stream], (tx) => appendEvent(tx, stream, { kind: 'log', by: 'daemon', message, ...more }))

interface Runs {
  ended: Set<string>
  /** Attempts that were superseded after they were authenticated. */
  stale: Set<string>
}

async function startEvents(
  db: Db,
  { ended, stale }: Runs = { ended: new Set(), stale: new Set() },
  clock: Clock = systemClock,
  findAttempt?: CredentialOptions['findAttempt'],
): Promise<TestServer> {
  const events = createEvents({
    db,
    clock,
    feed: createFeed({ db }),
    resolveRun: async (_, prefix) => {
      const found = ['run_aaa', 'run_abb'].filter((id) => id.startsWith(prefix))
      if (found.length !== 1) throw notFound('run', prefix)
      return found[0] as string
    },
    hasRunEnded: async (runId) => ended.has(runId),
    checkFence: async (_, by) => {
      if (stale.has(by.attemptId)) throw refusal('stale_fence', 'overtaken')
      return { tier: 'T4', workstream: 'api' }
    },
  })
  const standing = {
    runId: 'run_aaa',
    briefId: 'brf_1',
    agentId: 3,
    personaId: 4,
    fence: 1,
    ended: false,
    newestFence: 1,
  }
  const found = findAttempt === undefined ? {} : { findAttempt }
  return startServer({ db, clock, routes: eventRoutes(events), attempts: { att_1: standing }, ...found })
}

interface Message {
  id: string | undefined
  event: string | undefined
  data: Record<string, unknown>
}

interface Following {
  response: IncomingMessage
  /** Returns the next message, or null when the stream has ended. */
  next(): Promise<Message | null>
  take(count: number): Promise<Message[]>
  /** Comments and other lines that are not messages. */
  asides: string[]
  close(): void
}

/** Opens a stream with a client that reads only when asked. */
async function follow(
  server: TestServer,
  path: string,
  headers: Record<string, string> = {},
  token = server.operatorToken,
): Promise<Following> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      port: server.port,
      host: '127.0.0.1',
      agent: false,
      path,
      headers: { authorization: `Bearer ${token}`, accept: '*/*', ...headers },
    }
    httpRequest(options, resolve).on('error', reject).end()
  })
  onTestFinished(() => void response.destroy())
  const asides: string[] = []
  const messages = parse(response, asides)
  const next = async (): Promise<Message | null> => {
    const { done, value } = await messages.next()
    return done === true ? null : value
  }
  return {
    response,
    asides,
    next,
    async take(count) {
      const taken: Message[] = []
      while (taken.length < count) taken.push((await next()) as Message)
      return taken
    },
    close: () => void response.destroy(),
  }
}

async function* parse(response: IncomingMessage, asides: string[]): AsyncGenerator<Message> {
  let rest = ''
  response.setEncoding('utf8')
  for await (const part of response as AsyncIterable<string>) {
    const blocks = (rest + part).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]))
      const data = fields.get('data')
      if (data === undefined) asides.push(block)
      else yield { id: fields.get('id'), event: fields.get('event'), data: JSON.parse(data) as Record<string, unknown> }
    }
  }
}

const texts = (messages: readonly Message[]): unknown[] => messages.map((message) => message.data['message'])
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

describeStores('a live stream', (openFresh) => {
  it('sends each event with its kind, its wire names and the id to resume from', async () => {
    const { db } = await openFresh()
    const server = await startEvents(db)
    await write(db, 'system', 'elsewhere')
    await write(db, 'run:run_aaa', 'one', { runId: 'run_aaa', data: { keepThis: 1 } })
    const run = await follow(server, '/api/runs/run_aa/events')
    expect(run.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    })
    expect(await run.next()).toMatchObject({
      id: '1',
      event: 'log',
      data: { run_id: 'run_aaa', seq: 1, message: 'one', data: { keepThis: 1 } },
    })
    const all = await follow(server, '/api/events')
    expect((await all.take(2)).map((message) => message.id)).toEqual(['1', '2'])
    await write(db, 'run:run_aaa', 'two')
    expect(texts([(await run.next()) as Message, (await all.next()) as Message])).toEqual(['two', 'two'])
  })

  it('neither misses nor repeats events over reconnections while others write', async () => {
    const { db } = await openFresh()
    const server = await startEvents(db)
    const streams: Stream[] = ['run:run_aaa', 'run:run_abb', 'system']
    const each = 60
    const writing = Promise.all(
      streams.map(async (stream) => {
        for (const number of numbers(each)) await write(db, stream, `${stream} ${number}`)
      }),
    )
    const readAll = async (path: string, total: number): Promise<Message[]> => {
      const got: Message[] = []
      while (got.length < total) {
        const last = got.at(-1)?.id
        // The query still has the position of the first request; the header overrides it.
        const stream = await follow(server, `${path}?after=0`, last === undefined ? {} : { 'last-event-id': last })
        got.push(...(await stream.take(Math.min(13, total - got.length))))
        stream.close()
      }
      return got
    }
    const [own, all] = await Promise.all([readAll('/api/runs/run_aaa/events', each), readAll('/api/events', each * 3)])
    await writing
    expect(own.map((message) => message.data['seq'])).toEqual(numbers(each))
    for (const stream of streams)
      expect(all.filter((message) => message.data['stream'] === stream).map((message) => message.data['seq'])).toEqual(
        numbers(each),
      )
  })
})

describe('a live stream', () => {
  it('filters, and starts with the newest page on request', async () => {
    const { db } = await freshSqlite()
    const server = await startEvents(db)
    for (const number of numbers(5))
      await write(db, 'system', `${number}`, {
        level: number % 2 === 0 ? 'verbose' : 'normal',
        kind: number === 3 ? 'completed' : 'log',
      })
    expect(texts(await (await follow(server, '/api/events?level=normal')).take(3))).toEqual(['1', '3', '5'])
    expect(texts(await (await follow(server, '/api/events?kind=completed,failed')).take(1))).toEqual(['3'])
    const newest = await follow(server, '/api/events?latest=true&limit=2')
    await write(db, 'system', 'live')
    expect(texts(await newest.take(3))).toEqual(['4', '5', 'live'])
    const resumed = await follow(server, '/api/events?latest=true&limit=2', { 'last-event-id': '1' })
    expect(texts(await resumed.take(2))).toEqual(['2', '3'])
  })

  it('ends with the run, so that curl returns', async () => {
    const { db } = await freshSqlite()
    const ended = new Set<string>()
    const server = await startEvents(db, { ended, stale: new Set() })
    await write(db, 'run:run_aaa', 'one')
    const stream = await follow(server, '/api/runs/run_aaa/events')
    await stream.take(1)
    ended.add('run_aaa')
    await write(db, 'run:run_aaa', 'last')
    expect(texts(await stream.take(1))).toEqual(['last'])
    expect(await stream.next()).toMatchObject({ event: 'end' })
    expect(await stream.next()).toBeNull()
    const late = await server.send('GET', '/api/runs/run_aaa/events')
    expect(late.text).toMatch(/one[^]*last[^]*event: end\ndata: {}\n\n$/)
  })

  it('sends a heartbeat every fifteen seconds', async () => {
    const { db } = await freshSqlite()
    const clock = createVirtualClock()
    const server = await startEvents(db, undefined, clock)
    const stream = await follow(server, '/api/events')
    const message = stream.next()
    for (let beats = 0; beats < 2; beats = stream.asides.filter((aside) => aside.startsWith(':')).length) {
      clock.advance(15_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await write(db, 'system', 'still works')
    expect((await message)?.data['message']).toBe('still works')
  })

  it('ends when its token is no longer valid, but not while the store does not answer', async () => {
    const { db } = await freshSqlite()
    const clock = createVirtualClock()
    const attempt = { runId: 'run_aaa', briefId: 'brf_1', agentId: 3, personaId: 4, fence: 1, newestFence: 1 }
    let state: 'works' | 'no answer' | 'ended' = 'works'
    const server = await startEvents(db, undefined, clock, async () => {
      if (state === 'no answer') throw refusal('store_unusable', 'no answer')
      return { ...attempt, ended: state === 'ended' }
    })
    const token = createAttemptToken(testChainKey, 'att_1', 1)
    const stream = await follow(server, '/api/runs/run_aaa/events', {}, token)
    const pass = async (): Promise<void> => {
      clock.advance(2_000)
      for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve))
    }
    await pass()
    state = 'no answer'
    await pass()
    await write(db, 'run:run_aaa', 'still open')
    expect(texts(await stream.take(1))).toEqual(['still open'])
    state = 'ended'
    await pass()
    await write(db, 'run:run_aaa', 'must not arrive')
    expect(await stream.next()).toBeNull()
  })

  it('ends without an end event when the server stops or the reader disconnects', async () => {
    const { db } = await freshSqlite()
    let listeners = 0
    const counted: Db = {
      ...db,
      onCommit: (listener) => {
        listeners++
        const stop = db.onCommit(listener)
        return () => {
          listeners--
          stop()
        }
      },
    }
    const server = await startEvents(counted)
    await write(db, 'system', 'one')
    const leaving = await follow(server, '/api/events')
    const staying = await follow(server, '/api/events')
    await leaving.take(1)
    await staying.take(1)
    expect(listeners).toBe(2)
    leaving.close()
    while (listeners > 1) await new Promise((resolve) => setImmediate(resolve))
    await server.server.stop()
    expect(await staying.next()).toBeNull()
    expect(listeners).toBe(0)
  })

  it('does not read ahead of a slow reader', async () => {
    const { db } = await freshSqlite()
    const server = await startEvents(db)
    const long = 'x'.repeat(3_900)
    for (const _ of numbers(40)) await Promise.all(numbers(100).map(() => write(db, 'system', long)))
    const written = db.statements()
    const stream = await follow(server, '/api/events')
    stream.response.pause()
    const before = await settledStatements(db)
    // Forty pages of 400 KB are left, at three statements each; the sockets' own buffers hold some of them.
    expect(before - written).toBeLessThan(30 * 3)
    const after = await settledStatements(db)
    expect(after).toBe(before)
    expect((await stream.take(4_000)).map((message) => Number(message.id))).toEqual(numbers(4_000))
    expect(db.statements()).toBeGreaterThan(after)
  })

  it('is a list instead if JSON is requested by name', async () => {
    const { db } = await freshSqlite()
    const server = await startEvents(db)
    for (const number of numbers(3)) await write(db, 'run:run_aaa', `${number}`)
    const accept = { accept: 'application/json' }
    const list = await server.send('GET', '/api/events?after=1&limit=1', { headers: accept })
    expect((list.json['events'] as Record<string, unknown>[]).map((event) => event['message'])).toEqual(['2'])
    const ofRun = await server.send('GET', '/api/runs/run_aaa/events', { headers: accept })
    expect(ofRun.json['events']).toHaveLength(3)
    const last = await server.send('GET', '/api/runs/run_aaa/events?latest=true&limit=2', { headers: accept })
    expect((last.json['events'] as Record<string, unknown>[]).map((event) => event['message'])).toEqual(['2', '3'])
    const begun = await server.send('GET', '/api/runs/run_aaa/events?latest=true&after=1&limit=1', { headers: accept })
    expect((begun.json['events'] as Record<string, unknown>[]).map((event) => event['message'])).toEqual(['2'])
    const newest = await server.send('GET', '/api/events?latest=true&limit=2', { headers: accept })
    expect((newest.json['events'] as Record<string, unknown>[]).map((event) => event['message'])).toEqual(['2', '3'])
    expect((await server.send('HEAD', '/api/events')).status).toBe(200)
  })

  it.each([
    [undefined, true],
    ['*/*', true],
    ['text/event-stream', true],
    ['application/json', false],
    ['application/json, text/event-stream', true],
    ['application/json, text/event-stream;q=0.5', false],
    ['application/json;q=0.1, */*', false],
    ['text/html', true],
    ['application/yaml', false],
    ['application/yaml, text/event-stream', true],
  ])('with Accept %s streams: %s', (accept, expected) => {
    expect(acceptedFormat(accept, true) === 'stream').toBe(expected)
  })

  it('answers an invalid position, filter or run with a problem instead of a stream', async () => {
    const { db } = await freshSqlite()
    const { send } = await startEvents(db)
    expectProblem(await send('GET', '/api/events', { headers: { 'last-event-id': 'abc' } }), 400, 'invalid_input')
    expectProblem(await send('GET', '/api/events?after=-1'), 400, 'invalid_input')
    expectProblem(await send('GET', '/api/events?kind=nonsense'), 400, 'invalid_input')
    expectProblem(await send('GET', '/api/runs/run_zzz/events'), 404, 'not_found')
  })
})

describe('an agent and events', () => {
  const token = createAttemptToken(testChainKey, 'att_1', 1)
  const line = { kind: 'log', message: 'half way' }

  it('writes to the log of its own brief, without secrets', async () => {
    const { db } = await freshSqlite()
    const { send } = await startEvents(db)
    const secret = `opr_${'a'.repeat(32)}`
    const answer = await send('POST', '/api/events', { token, body: { ...line, message: `found ${secret}` } })
    expect(answer.json).toEqual({ seq: 1 })
    const { json } = await send('GET', '/api/runs/run_aaa/events', { token, headers: { accept: 'application/json' } })
    expect((json['events'] as unknown[])[0]).toMatchObject({
      kind: 'log',
      by: 'agent:3',
      run_id: 'run_aaa',
      brief_id: 'brf_1',
      tier: 'T4',
      workstream: 'api',
      attempt_id: 'att_1',
      message: 'found [redacted]',
    })
  })

  it('can read its own run and learns nothing about others', async () => {
    const { db } = await freshSqlite()
    const { send } = await startEvents(db)
    const accept = { accept: 'application/json' }
    expect((await send('GET', '/api/runs/run_aaa/events', { token, headers: accept })).status).toBe(200)
    for (const run of ['run_abb', 'run_none'])
      expectProblem(await send('GET', `/api/runs/${run}/events`, { token }), 403, 'forbidden')
    expectProblem(await send('GET', '/api/events', { token, headers: accept }), 403, 'forbidden')
  })

  it('is refused once another attempt supersedes it, even between authentication and the write', async () => {
    const { db } = await freshSqlite()
    const { send } = await startEvents(db, { ended: new Set(), stale: new Set(['att_1']) })
    expectProblem(await send('POST', '/api/events', { token, body: line }), 409, 'stale_fence')
  })

  it('can post only log lines; the operator can post none', async () => {
    const { db } = await freshSqlite()
    const { send } = await startEvents(db)
    const answer = await send('POST', '/api/events', { token, body: { ...line, kind: 'completed' } })
    expectProblem(answer, 400, 'invalid_input')
    expect(answer.json['message']).toContain('only events of kind "log" can be posted')
    expectProblem(await send('POST', '/api/events', { body: line }), 403, 'forbidden')
    expectProblem(await send('POST', '/api/events', { body: { ...line, kind: 'foo' } }), 400, 'invalid_input')
  })

  it('may write two hundred lines at once, then twenty per second', async () => {
    const { db } = await freshSqlite()
    const clock = createVirtualClock()
    const { send } = await startEvents(db, undefined, clock)
    const statuses = await Promise.all(
      numbers(210).map(async () => (await send('POST', '/api/events', { token, body: line, via: 'socket' })).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(200)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
    clock.advance(1_000)
    const later = await Promise.all(
      numbers(25).map(async () => (await send('POST', '/api/events', { token, body: line, via: 'socket' })).status),
    )
    expect(later.filter((status) => status === 200)).toHaveLength(20)
  })
})

/** Waits until reading has stopped. */
async function settledStatements(db: Db): Promise<number> {
  for (let last = -1; ; last = db.statements()) {
    for (const _ of numbers(200)) await new Promise((resolve) => setImmediate(resolve))
    if (db.statements() === last) return last
  }
}
