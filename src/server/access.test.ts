import { connect, createServer as createNetServer } from 'node:net'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { expectProblem, startNotes } from '../../test/support/notes.ts'
import { type Answer, type SendOptions, sendTo, type TestServer } from '../../test/support/server.ts'
import { freshFolder, freshSqlite, testChainKey } from '../../test/support/store.ts'
import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import type { OperatorActor } from '../kernel/actor.ts'
import { systemClock } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import { operatorPersona } from '../kernel/ids.ts'
import { createSessions } from '../sessions/service.ts'
import { createAttemptToken } from './credentials.ts'

const note = { note_text: 'hello', free_form: { someKey: 1 } }

describe('authentication', () => {
  it('requires a token and gives a hint without one', async () => {
    const { send } = await startNotes()
    const none: SendOptions[] = [
      { token: null },
      { token: '' },
      { token: 'opr_wrong' },
      { token: null, headers: { authorization: 'Basic abc' } },
      { token: null, headers: { cookie: 'agency_session=ses_99999999999999.abc' } },
      { token: 'agt_att_1.1.abc' },
    ]
    for (const options of none) {
      const answer = await send('GET', '/api/notes/note_1', options)
      expectProblem(answer, 401, 'unauthenticated')
      expect(answer.headers['www-authenticate']).toContain('Bearer')
    }
    expect((await send('GET', '/api/notes/note_1', { token: null })).json['hint']).toMatch(
      /operator\.token.*agency open/,
    )
    expectProblem(await send('GET', '/api/unknown', { token: null }), 401, 'unauthenticated')
  })

  it('accepts an attempt’s token while it is the newest of its brief and has not ended', async () => {
    const standing = {
      runId: 'run_1',
      briefId: 'brf_1',
      agentId: 3,
      personaId: 4,
      fence: 2,
      ended: false,
      newestFence: 2,
    }
    const { send } = await startNotes({
      attempts: {
        att_live: standing,
        att_ended: { ...standing, ended: true },
        att_old: { ...standing, ended: true, newestFence: 3 },
      },
    })
    const as = (id: string, fence = 2, key = testChainKey): Promise<Answer> =>
      send('GET', '/api/notes/note_1', { token: createAttemptToken(key, id, fence) })
    expect((await as('att_live')).status).toBe(200)
    const ended = await as('att_ended')
    expectProblem(ended, 401, 'unauthenticated')
    expect(ended.json['message']).toContain('expired')
    expectProblem(await as('att_old'), 409, 'stale_fence')
    expectProblem(await as('att_none'), 401, 'unauthenticated')
    expectProblem(await as('att_live', 1), 401, 'unauthenticated')
    expectProblem(await as('att_live', 2, new Uint8Array(32)), 401, 'unauthenticated')
    const live = createAttemptToken(testChainKey, 'att_live', 2)
    expectProblem(
      await send('GET', '/api/notes/note_1', { token: live.replace('att_live', 'att_ended') }),
      401,
      'unauthenticated',
    )
  })

  it('reports each request of an agent, and whether the store has failed it', async () => {
    const seen: [string, boolean][] = []
    let isDown = true
    const standing = {
      runId: 'run_1',
      briefId: 'brf_1',
      agentId: 3,
      personaId: 4,
      fence: 2,
      ended: false,
      newestFence: 2,
    }
    const { send, operatorToken } = await startNotes({
      findAttempt: async () => {
        if (isDown) throw refusal('store_unusable', 'the server does not answer')
        return standing
      },
      onAgentRequest: (...request) => void seen.push(request),
    })
    const token = createAttemptToken(testChainKey, 'att_live', 2)
    expectProblem(await send('GET', '/api/notes/note_1', { token }), 503, 'store_unusable')
    isDown = false
    expect((await send('GET', '/api/notes/note_1', { token })).status).toBe(200)
    expectProblem(await send('GET', '/api/unknown', { token }), 404, 'not_found')
    expectProblem(await send('GET', '/api/notes/note_1', { token: `${token}x` }), 401, 'unauthenticated')
    expect((await send('GET', '/api/notes/note_1', { token: operatorToken })).status).toBe(200)
    expect(seen).toEqual([
      ['att_live', true],
      ['att_live', false],
      ['att_live', false],
    ])
  })

  it('ends a connection of a box that sends many requests without waiting, and serves the box again', async () => {
    const { server } = await startNotes()
    const [serve, socketPath] = [server.openBox('no token'), join(freshFolder(), 's')]
    const box = createNetServer({ allowHalfOpen: true }, serve)
    await new Promise<void>((resolve) => box.listen(socketPath, resolve))
    onTestFinished(() => void box.close())
    const answersTo = async (requests: number): Promise<string[]> => {
      const connection = connect(socketPath)
      connection.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests - 1))
      connection.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      let text = ''
      for await (const part of connection) text += String(part)
      return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status as string)
    }
    expect(await answersTo(20)).toEqual(Array.from({ length: 20 }, () => '200'))
    for (const _ of [1, 2]) expect(await answersTo(500)).toEqual([...Array.from({ length: 64 }, () => '200'), '429'])
    expect(await answersTo(1)).toEqual(['200'])
  })

  it('accepts the token of a boxed attempt in its own box only, and no other token there', async () => {
    const standing = {
      runId: 'run_1',
      briefId: 'brf_1',
      agentId: 3,
      personaId: 4,
      fence: 1,
      ended: false,
      newestFence: 1,
    }
    const attempts = { att_1: standing, att_2: standing, att_3: standing }
    const { server, send, operatorToken, sessions, port } = await startNotes({ attempts })
    const [one, two, free] = ['att_1', 'att_2', 'att_3'].map((id) => createAttemptToken(testChainKey, id, 1)) as [
      string,
      string,
      string,
    ]
    const boxOf = async (
      token: string,
    ): Promise<(token: string | null, headers?: Record<string, string>) => Promise<Answer>> => {
      const [serve, socketPath] = [server.openBox(token), join(freshFolder(), 's')]
      const box = createNetServer({ allowHalfOpen: true }, serve)
      await new Promise<void>((resolve) => box.listen(socketPath, resolve))
      onTestFinished(() => void box.close())
      return (given, headers = {}) => sendTo({ socketPath }, 'GET', '/api/notes/note_1', { token: given, headers })
    }
    expect((await send('GET', '/api/notes/note_1', { token: one })).status).toBe(200)
    const [inOne, inTwo] = [await boxOf(one), await boxOf(two)]
    expect([(await inOne(one)).status, (await inTwo(two)).status]).toEqual([200, 200])
    for (const answer of [
      await inOne(two),
      await inTwo(one),
      await inOne(free),
      await inOne(operatorToken),
      await send('GET', '/api/notes/note_1', { token: one }),
      await send('GET', '/api/notes/note_1', { token: one, via: 'socket' }),
    ])
      expectProblem(answer, 401, 'unauthenticated')
    const { cookie, page } = await sessions.open({ userAgent: 'test', port })
    expectProblem(
      await inOne(null, { cookie: `agency_session=${cookie}`, 'agency-page': page }),
      401,
      'unauthenticated',
    )
    for (const via of ['tcp', 'socket'] as const)
      expect((await send('GET', '/api/notes/note_1', { token: free, via })).status).toBe(200)
    expect((await boxOf('garbage').then((inNone) => inNone(one))).status).toBe(401)
  })

  it('refuses operations of the operator to agents', async () => {
    const standing = {
      runId: 'run_1',
      briefId: 'brf_1',
      agentId: 3,
      personaId: 4,
      fence: 1,
      ended: false,
      newestFence: 1,
    }
    const { send } = await startNotes({ attempts: { att_1: standing } })
    const token = createAttemptToken(testChainKey, 'att_1', 1)
    expectProblem(await send('PATCH', '/api/notes/note_1', { token, body: { note_text: 'x' } }), 403, 'forbidden')
  })

  it('limits the rate of invalid tokens and still accepts valid ones', async () => {
    const clock = createVirtualClock()
    const { send } = await startNotes({ clock })
    const codes: unknown[] = []
    for (let guess = 0; guess < 40; guess++)
      codes.push((await send('GET', '/api/notes/note_1', { token: `opr_${guess}` })).json['code'])
    expect(codes.filter((code) => code === 'unauthenticated')).toHaveLength(30)
    expect(codes.at(-1)).toBe('rate_limited')
    expect((await send('GET', '/api/notes/note_1')).status).toBe(200)
    expectProblem(await send('GET', '/api/notes/note_1', { token: null, via: 'socket' }), 401, 'unauthenticated')
    clock.advance(5_000)
    expectProblem(await send('GET', '/api/notes/note_1', { token: null }), 401, 'unauthenticated')
  })

  it('accepts only its own host names, except on the socket', async () => {
    const { send, port } = await startNotes({ allowedHosts: ['agency.test'], ownName: 'agency-x.localhost' })
    const as = (host: string, via?: 'socket'): Promise<Answer> =>
      send('GET', '/healthz', { headers: { host }, ...(via ? { via } : {}) })
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `LOCALHOST:${port}`,
      `[::1]:${port}`,
      'agency.test',
      `agency.test:${port}`,
      `agency-x.localhost:${port}`,
    ])
      expect((await as(host)).status, host).toBe(200)
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `127.0.0.1.evil.example:${port}`,
      `agency.test.evil.example`,
      'agency-x.localhost',
      `agency-x.localhost:${port + 1}`,
      `agency-y.localhost:${port}`,
      `a.agency-x.localhost:${port}`,
    ])
      expectProblem(await as(host), 403, 'forbidden')
    expect((await as('anything', 'socket')).status).toBe(200)
    expect([400, 403]).toContain((await as('a b/c')).status)
  })

  it('refuses changes requested by a page of another origin', async () => {
    const { send, port } = await startNotes()
    const post = (origin: string): Promise<Answer> => send('POST', '/api/notes', { body: note, headers: { origin } })
    for (const origin of ['http://evil.example', `http://127.0.0.1:${port + 1}`, 'null', 'garbage'])
      expectProblem(await post(origin), 403, 'forbidden')
    expect((await post(`http://127.0.0.1:${port}`)).status).toBe(200)
  })

  it('accepts a cookie only when the browser states that the page is ours', async () => {
    const { send, port, sessions } = await startNotes()
    const { cookie: value, page } = await sessions.open({ userAgent: 'test', port })
    const cookie = `other=1; agency_session=${value}`
    const as = (method: string, headers: Record<string, string>): Promise<Answer> =>
      send(method, method === 'GET' ? '/api/notes/note_1' : '/api/notes', {
        token: null,
        headers: { cookie, 'agency-page': page, ...headers },
        ...(method === 'GET' ? {} : { body: note }),
      })
    const own = `http://127.0.0.1:${port}`
    expect((await as('GET', {})).status).toBe(200)
    expect((await as('GET', { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await as('POST', { origin: own })).status).toBe(200)
    expect((await as('POST', { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    for (const [method, headers] of [
      ['GET', { origin: 'http://evil.example' }],
      ['GET', { 'sec-fetch-site': 'cross-site' }],
      ['GET', { 'sec-fetch-site': 'same-site' }],
      ['POST', {}],
      ['POST', { origin: 'http://127.0.0.1:1' }],
      ['POST', { 'sec-fetch-site': 'same-site' }],
    ] as const)
      expectProblem(await as(method, headers), 403, 'forbidden')
  })

  it('accepts a cookie only together with the secret of the page, on the port of its session', async () => {
    const { send, port, sessions } = await startNotes()
    const [one, two] = [
      await sessions.open({ userAgent: 'test', port }),
      await sessions.open({ userAgent: 'test', port }),
    ]
    const other = await sessions.open({ userAgent: 'test', port: port + 1 })
    const get = (cookie: string, page?: string): Promise<Answer> =>
      send('GET', '/api/notes/note_1', {
        token: null,
        headers: { cookie: `agency_session=${cookie}`, ...(page === undefined ? {} : { 'agency-page': page }) },
      })
    expect((await get(one.cookie, one.page)).status).toBe(200)
    for (const [cookie, page] of [
      [one.cookie],
      [one.cookie, ''],
      [one.cookie, two.page],
      [one.cookie.replace(/..$/, 'zz'), one.page],
      [other.cookie, other.page],
      ['ses_000000000000.00000000000000000000000000000000', one.page],
      ['garbage', one.page],
    ] as const)
      expectProblem(await get(cookie, page), 401, 'unauthenticated')
  })

  it('ends a session after thirty days, after seven without use, or when the operator token changes', async () => {
    const clock = createVirtualClock()
    const { db } = await freshSqlite()
    const sessions = createSessions({ db, clock, operatorToken: 'opr_1' })
    const day = 24 * 3_600_000
    const open = async () => {
      const { cookie, page } = await sessions.open({ userAgent: 'test', port: 1 })
      return { find: () => sessions.identify(cookie, page, 1), cookie, page }
    }
    const idle = await open()
    clock.advance(6 * day)
    await idle.find()
    clock.advance(8 * day)
    await expect(idle.find()).rejects.toThrow('expired')
    const used = await open()
    for (let days = 0; days < 29; days++) {
      clock.advance(day)
      await used.find()
    }
    clock.advance(day)
    await expect(used.find()).rejects.toThrow('expired')
    const { cookie, page } = await open()
    const other = createSessions({ db, clock, operatorToken: 'opr_2' })
    await expect(other.identify(cookie, page, 1)).rejects.toThrow('not signed in')
  })

  it('lists and revokes sessions, and ends their streams', async () => {
    const { db } = await freshSqlite()
    const sessions = createSessions({ db, clock: systemClock, operatorToken: 'opr_1' })
    const opened = await Promise.all([1, 1, 2].map((port) => sessions.open({ userAgent: `port ${port}`, port })))
    const actors = await Promise.all(
      opened.map(({ cookie, page }, at) => sessions.identify(cookie, page, [1, 1, 2][at] as number)),
    )
    const ended: number[] = []
    for (const [at, actor] of actors.entries()) sessions.onEnd(actor, () => ended.push(at))
    const [first, second, third] = actors as [OperatorActor, OperatorActor, OperatorActor]
    expect((await sessions.list(first)).filter((each) => each.isCurrent).map(({ id }) => id)).toEqual([first.sessionId])
    expect(await sessions.signOut(first)).toBe(1)
    expect(ended).toEqual([0])
    await expect(sessions.revoke(first.sessionId as string)).rejects.toThrow('no session')
    expect(await sessions.revokeOtherPorts(1)).toBe(1)
    expect(ended).toEqual([0, 2])
    expect((await sessions.list(third)).map(({ id }) => id)).toEqual([second.sessionId])
    expect(await sessions.revokeAll()).toBe(1)
    expect([ended, await sessions.list(second)]).toEqual([[0, 2, 1], []])
    await expect(sessions.signOut({ kind: 'operator', personaId: operatorPersona })).rejects.toThrow('no session')
  })

  it('signs the browser out that was not used for the longest time when there are too many', async () => {
    const clock = createVirtualClock()
    const { db } = await freshSqlite()
    const sessions = createSessions({ db, clock, operatorToken: 'opr_1' })
    for (let browser = 0; browser < 60; browser++) {
      await sessions.open({ userAgent: String(browser), port: 1 })
      clock.advance(1_000)
    }
    const left = await sessions.list({ kind: 'operator', personaId: operatorPersona })
    expect([left.length, left[0]?.userAgent, left.at(-1)?.userAgent]).toEqual([50, '59', '10'])
  })
})

describe('a one-time link', () => {
  const enter = (server: TestServer, code: string, headers: Record<string, string> = {}): Promise<Answer> =>
    server.send('POST', '/enter', { token: null, headers, body: { code } })
  const visit = (server: TestServer, code: string, headers: Record<string, string> = {}, method = 'GET') =>
    server.send(method, `/enter?code=${code}`, { token: null, headers })

  it('signs a browser in once and names its page', async () => {
    const server = await startNotes()
    const { code } = server.credentials.createLink('/runs/run_1')
    const first = await enter(server, code)
    expect([first.status, first.json['path']]).toEqual([200, '/runs/run_1'])
    const cookie = (first.headers['set-cookie'] as string[])[0] as string
    expect(cookie).toMatch(/^agency_session=ses_\w+\.\w+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
    const signedIn = await server.send('GET', '/api/notes/note_1', {
      token: null,
      headers: { cookie: cookie.split(';')[0] as string, 'agency-page': first.json['page'] as string },
    })
    expect(signedIn.status).toBe(200)
    const second = await enter(server, code)
    expectProblem(second, 401, 'unauthenticated')
    expect(second.text).toContain('agency open')
    expect(second.headers['set-cookie']).toBeUndefined()
  })

  it('is not used up by a browser that prefetches or only loads it, nor by a page of another origin', async () => {
    const server = await startNotes()
    const { code } = server.credentials.createLink('/')
    const looking: Record<string, string>[] = [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
    ]
    for (const headers of looking) {
      const ahead = await visit(server, code, headers)
      expect([ahead.status, ahead.headers['set-cookie']]).toEqual([403, undefined])
    }
    for (const method of ['HEAD', 'GET'])
      expect((await visit(server, code, {}, method)).headers['set-cookie']).toBeUndefined()
    expectProblem(await enter(server, code, { origin: 'http://evil.example' }), 403, 'forbidden')
    expect((await enter(server, code)).status).toBe(200)
  })

  it('lasts ten minutes, and reports its end once', async () => {
    const clock = createVirtualClock()
    const server = await startNotes({ clock })
    let gone = 0
    const { code } = server.credentials.createLink('/', () => (gone += 1))
    clock.advance(10 * 60_000)
    expectProblem(await enter(server, code), 401, 'unauthenticated')
    const used = server.credentials.createLink('/', () => (gone += 1))
    expect((await enter(server, used.code)).status).toBe(200)
    clock.advance(10 * 60_000)
    expect(gone).toBe(2)
  })
})

describe('every response', () => {
  it('has the security headers', async () => {
    const { send } = await startNotes()
    for (const [path, token] of [
      ['/api/notes/note_1'],
      ['/api/notes/note_1', null],
      ['/healthz', null],
      ['/', null],
      ['/enter?code=x', null],
    ] as const) {
      const { headers } = await send('GET', path, token === undefined ? {} : { token })
      expect(headers['content-security-policy'], path).toBe(
        "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      )
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['referrer-policy']).toBe('no-referrer')
      if (path.startsWith('/api')) expect(headers['cache-control']).toBe('no-store')
    }
  })

  it('reports the health of the server without a token', async () => {
    const { send } = await startNotes()
    expect((await send('GET', '/healthz', { token: null })).json).toEqual({ ok: true })
  })
})
