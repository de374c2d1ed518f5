import { describe, expect, it } from 'vitest'

import { expectProblem, startNotes } from '../../test/support/notes.ts'
import type { Answer, SendOptions, TestServer } from '../../test/support/server.ts'
import { testChainKey } from '../../test/support/store.ts'
import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import { refusal } from '../kernel/errors.ts'
import { createAttemptToken, createCredentials } from './credentials.ts'

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
    const { send, port } = await startNotes({ allowedHosts: ['agency.test'] })
    const as = (host: string, via?: 'socket'): Promise<Answer> =>
      send('GET', '/healthz', { headers: { host }, ...(via ? { via } : {}) })
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `LOCALHOST:${port}`,
      `[::1]:${port}`,
      'agency.test',
      `agency.test:${port}`,
    ])
      expect((await as(host)).status, host).toBe(200)
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `127.0.0.1.evil.example:${port}`,
      `agency.test.evil.example`,
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
    const { send, port, credentials } = await startNotes()
    const cookie = `other=1; agency_session=${credentials.createSession().value}`
    const as = (method: string, headers: Record<string, string>): Promise<Answer> =>
      send(method, method === 'GET' ? '/api/notes/note_1' : '/api/notes', {
        token: null,
        headers: { cookie, ...headers },
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

  it('ends a session after thirty days, or when the operator token changes', async () => {
    const clock = createVirtualClock()
    const { send, credentials } = await startNotes({ clock })
    const cookie = `agency_session=${credentials.createSession().value}`
    const get = (): Promise<Answer> => send('GET', '/api/notes/note_1', { token: null, headers: { cookie } })
    expect((await get()).status).toBe(200)
    clock.advance(31 * 24 * 3_600_000)
    expectProblem(await get(), 401, 'unauthenticated')
    const other = createCredentials({
      operatorToken: 'opr_another',
      chainKey: testChainKey,
      clock,
      findAttempt: async () => undefined,
    })
    expect(() => credentials.ofSession(other.createSession().value)).toThrow(/not signed in/)
  })
})

describe('a one-time link', () => {
  const enter = (
    server: TestServer,
    code: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<Answer> => server.send(method, `/enter?code=${code}`, { token: null, headers })

  it('signs a browser in once and redirects', async () => {
    const server = await startNotes()
    const { code } = server.credentials.createLink('/runs/run_1')
    const first = await enter(server, code)
    expect([first.status, first.headers['location']]).toEqual([303, '/runs/run_1'])
    const cookie = (first.headers['set-cookie'] as string[])[0] as string
    expect(cookie).toMatch(/^agency_session=ses_\d+\.[\w-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
    const signedIn = await server.send('GET', '/api/notes/note_1', {
      token: null,
      headers: { cookie: cookie.split(';')[0] as string },
    })
    expect(signedIn.status).toBe(200)
    const second = await enter(server, code)
    expect(second.status).toBe(401)
    expect(second.text).toContain('agency open')
    expect(second.headers['set-cookie']).toBeUndefined()
  })

  it('is not used up by a browser that prefetches it', async () => {
    const server = await startNotes()
    const { code } = server.credentials.createLink('/')
    const looking: Record<string, string>[] = [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
    ]
    for (const headers of looking) {
      const ahead = await enter(server, code, headers)
      expect([ahead.status, ahead.headers['set-cookie']]).toEqual([403, undefined])
    }
    expect((await enter(server, code, {}, 'HEAD')).headers['set-cookie']).toBeUndefined()
    expect((await enter(server, code)).status).toBe(303)
  })

  it('lasts ten minutes', async () => {
    const clock = createVirtualClock()
    const server = await startNotes({ clock })
    const { code } = server.credentials.createLink('/')
    clock.advance(10 * 60_000)
    expect((await enter(server, code)).status).toBe(401)
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
