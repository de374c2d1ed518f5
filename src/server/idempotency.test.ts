import { expect, it } from 'vitest'

import { expectProblem, noteRoutes } from '../../test/support/notes.ts'
import { type Answer, startServer } from '../../test/support/server.ts'
import { describeStores, type FreshStore, testChainKey } from '../../test/support/store.ts'
import { createAttemptToken } from './credentials.ts'

const standing = { runId: 'run_1', briefId: 'brf_1', agentId: 3, personaId: 4, fence: 1, ended: false, newestFence: 1 }

describeStores('a request with an Idempotency-Key', (openFresh) => {
  const start = async (): Promise<{
    store: FreshStore
    add(key: string, body?: object, token?: string): Promise<Answer>
    events(): Promise<unknown>
  }> => {
    const store = await openFresh()
    const { send } = await startServer({ db: store.db, routes: noteRoutes(store.db), attempts: { att_1: standing } })
    return {
      store,
      add: (key, body = { note_text: 'once' }, token) =>
        send('POST', '/api/notes', {
          body,
          headers: { 'idempotency-key': key },
          ...(token === undefined ? {} : { token }),
        }),
      events: async () => Number((await store.raw('SELECT COUNT(*) AS count FROM events'))[0]?.['count']),
    }
  }

  it('runs once and returns the same response to twenty concurrent requests', async () => {
    const { add, events } = await start()
    const answers = await Promise.all(Array.from({ length: 20 }, () => add('key')))
    for (const answer of answers)
      expect([answer.status, answer.json]).toEqual([200, { note_id: 'note_1', seq: 1, free_form: {} }])
    expect(await events()).toBe(1)
    expect((await add('key')).json).toEqual(answers[0]?.json)
    expect(await events()).toBe(1)
  })

  it('is the same request for any formatting of its body, and a different one for another body', async () => {
    const { add, events } = await start()
    await add('key', { note_text: 'a', free_form: { x: 1, y: 2 } })
    expect((await add('key', { free_form: { y: 2, x: 1 }, note_text: 'a' })).json).toMatchObject({ seq: 1 })
    expectProblem(await add('key', { note_text: 'b' }), 422, 'idempotency_key_reused')
    expect(await events()).toBe(1)
  })

  it('does not collide with the key of another actor or operation', async () => {
    const { add, events } = await start()
    await add('key')
    await add('key', undefined, createAttemptToken(testChainKey, 'att_1', 1))
    expect(await events()).toBe(2)
  })

  it('is stored as a hash, because an agent could write a secret into it', async () => {
    const { add, store } = await start()
    await add('key-of-somebody')
    expect(JSON.stringify(await store.raw('SELECT * FROM answers'))).not.toContain('key-of-somebody')
  })

  it('may be retried after it was refused', async () => {
    const { add, events } = await start()
    expectProblem(await add('key', {}), 400, 'invalid_input')
    expect((await add('key')).status).toBe(200)
    expect(await events()).toBe(1)
  })

  it('requires a printable key of limited length', async () => {
    const { add, events } = await start()
    for (const key of ['', 'x'.repeat(201), 'tab\there']) expectProblem(await add(key), 400, 'invalid_input')
    expect((await add('x'.repeat(200))).status).toBe(200)
    expect(await events()).toBe(1)
  })
})
