import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'

import { describe, expect, it, onTestFinished } from 'vitest'

import { freshSqlite, testChainKey } from '../../test/support/store.ts'
import { bind } from '../operations/bind.ts'
import { expectProblem, noteOperations, startNotes } from '../../test/support/notes.ts'
import { type Answer, startServer, type TestServer } from '../../test/support/server.ts'
import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import { countNodes } from './body.ts'
import { createAttemptToken } from './credentials.ts'

const standing = { runId: 'run_a', briefId: 'brf_1', agentId: 3, personaId: 4, fence: 1, ended: false, newestFence: 1 }
const agent = createAttemptToken(testChainKey, 'att_1', 1)
const start = (more = {}): Promise<TestServer> =>
  startNotes({ attempts: { att_1: standing, att_2: { ...standing, briefId: 'brf_2' } }, ...more })

const add = (server: TestServer, noteText: string, token = agent): Promise<Answer> =>
  server.send('POST', '/api/notes', { body: { note_text: noteText }, token })

describe('a body of an agent', () => {
  it('has at most 256 KB', async () => {
    const server = await start()
    const body = { note_text: 'a', free_form: { text: 'x'.repeat(300_000) } }
    expectProblem(await server.send('POST', '/api/notes', { body, token: agent }), 413, 'too_large')
    expect((await server.send('POST', '/api/notes', { body })).status).toBe(200)
  })

  it('has at most 8,000 values', async () => {
    const server = await start()
    const body = { note_text: 'a', free_form: { list: Array.from({ length: 8_000 }, () => 0) } }
    expectProblem(await server.send('POST', '/api/notes', { body, token: agent }), 413, 'too_large')
    expect((await server.send('POST', '/api/notes', { body })).status).toBe(200)
  })

  it('is one of at most 8 that are sent at the same time, and others have their own', async () => {
    const server = await start()
    const half = await Promise.all(Array.from({ length: 8 }, () => sendHalf(server, agent)))
    // The requests have been read up to their bodies once a request that was sent after them is answered.
    expect((await server.send('GET', '/api/notes/note_1', { token: agent })).status).toBe(200)
    expectProblem(await add(server, 'one more'), 429, 'rate_limited')
    expect((await add(server, 'of another', createAttemptToken(testChainKey, 'att_2', 1))).status).toBe(200)
    half[0]?.destroy()
    await expect.poll(async () => (await add(server, 'after one has ended')).status).toBe(200)
  })

  it('has to arrive in time', async () => {
    const clock = createVirtualClock()
    const server = await start({ clock })
    const socket = await sendHalf(server, agent)
    await server.send('GET', '/api/notes/note_1', { token: agent })
    const closed = once(socket, 'close')
    clock.advance(21_000)
    await closed
    expect(socket.destroyed).toBe(true)
  })

  it('is not read before its sender is known', async () => {
    const server = await start()
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request({
        port: server.port,
        method: 'POST',
        path: '/api/notes',
        headers: { authorization: 'Bearer none', 'content-type': 'application/json', 'content-length': '7000000' },
      })
      sent.on('response', (response) => resolve(response.statusCode)).on('error', reject)
      sent.write('{"note_text":"')
      onTestFinished(() => void sent.destroy())
    })
    expect(answer).toBe(401)
  })
})

describe('an agent', () => {
  it('may store a limited number of bytes', async () => {
    const server = await start({ clock: createVirtualClock() })
    const body = { note_text: 'a', free_form: { text: 'x'.repeat(250_000) } }
    const statuses: number[] = []
    for (let count = 0; count < 40; count++)
      statuses.push((await server.send('POST', '/api/notes', { body, token: agent })).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(33)
    expect(statuses.at(-1)).toBe(429)
  })

  it('may send a limited number of requests', async () => {
    const server = await start({ clock: createVirtualClock() })
    const statuses: number[] = []
    for (let count = 0; count < 501; count++)
      statuses.push((await server.send('GET', '/api/notes/note_1', { token: agent })).status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    expect((await server.send('GET', '/api/notes/note_1')).status).toBe(200)
  })
})

describe('answers of an agent', () => {
  const ask = `GET /api/notes/note_1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${agent}\r\n\r\n`
  const startCounting = async () => {
    const seen = { made: 0 }
    const { db } = await freshSqlite()
    const show = async () => ({ noteId: 'note_1', seq: (seen.made += 1), freeForm: { text: 'x'.repeat(8_000_000) } })
    const routes = bind({ show: noteOperations.show }, { show })
    return { seen, server: await startServer({ db, routes, attempts: { att_1: standing } }) }
  }
  const openUnread = (socket: string): Socket => {
    const unread = connect(socket).on('error', () => {})
    onTestFinished(() => void unread.destroy())
    unread.pause()
    unread.write(ask)
    return unread
  }

  it('are made four at a time, and the next when one is read or its connection is closed', async () => {
    const { seen, server } = await startCounting()
    const open = Array.from({ length: 9 }, () => openUnread(server.socket))
    await expect.poll(() => seen.made).toBe(4)
    // The operator does not wait for them, and all requests of the agent have arrived before this answer.
    expect((await server.send('GET', '/api/notes/note_1')).status).toBe(200)
    expect(seen.made).toBe(5)
    for (const each of open.slice(0, 8)) each.destroy()
    await expect.poll(() => seen.made).toBeGreaterThan(5)
    open[8]?.destroy()
    expect((await server.send('GET', '/api/notes/note_1', { token: agent })).status).toBe(200)
  })

  it('are not written as YAML if they are large', async () => {
    const { server } = await startCounting()
    const headers = { accept: 'application/yaml' }
    expectProblem(await server.send('GET', '/api/notes/note_1', { token: agent, headers }), 413, 'too_large')
  })
})

describe('the number of signs between the values of a JSON text', () => {
  it.each([
    ['{}', 2],
    ['{"a":1,"b":[1,2]}', 7],
    ['{"a":"{[,:\\"{[,:"}', 3],
    ['{"a":"\\\\","b":"\\\\\\""}', 5],
    ['"no end, [', 1],
  ])('of %s is %i', (text, nodes) => {
    expect(countNodes(text)).toBe(nodes)
  })
})

/** Sends the header and the beginning of a body, and nothing more. */
async function sendHalf(server: TestServer, token: string): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(
    `POST /api/notes HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"note_text":"`,
  )
  return socket
}
