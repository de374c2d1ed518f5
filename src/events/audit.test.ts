import { expect, it } from 'vitest'

import { describeStores, type FreshStore } from '../../test/support/store.ts'
import type { Stream } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import { appendEvent } from './append.ts'
import { auditEvents } from './audit.ts'

async function withEvents(store: FreshStore, streams: Record<string, number>): Promise<void> {
  for (const [stream, count] of Object.entries(streams))
    for (let index = 1; index <= count; index++)
      await store.db.write([stream as Stream], (tx) =>
        appendEvent(tx, stream as Stream, { kind: 'log', by: 'daemon', message: `event ${index}`, data: { index } }),
      )
}

describeStores('the audit', (openFresh, kind) => {
  /** Changes rows directly, as a person with the database file or the database's password can. */
  const unlock =
    kind === 'sqlite'
      ? 'DROP TRIGGER events_are_final; DROP TRIGGER events_stay; PRAGMA foreign_keys = OFF;'
      : 'DROP TRIGGER events_are_final ON events; DROP TRIGGER events_stay ON events; ALTER TABLE events DROP CONSTRAINT IF EXISTS events_stream_fkey;'

  async function tampered(sql: string, streams: Record<string, number> = { 'run:a': 5, 'run:b': 2 }) {
    const store = await openFresh()
    await withEvents(store, streams)
    await store.raw(unlock + sql)
    return (await auditEvents(store.db)).findings
  }

  it('finds nothing in an untouched store', async () => {
    const store = await openFresh()
    await withEvents(store, { 'run:a': 5, 'run:b': 2, system: 1 })
    await store.db.write(['run:empty'], async () => {})
    expect(await auditEvents(store.db)).toEqual({ streams: 4, events: 8, findings: [] })
  })

  it('finds nothing in texts with characters that a store replaces', async () => {
    const store = await openFresh()
    const message = `zero \0, half a pair ${'😀'.slice(0, 1)}, an accent é, ${'😀'.repeat(3_000)}`
    await store.db.write(['run:a'], (tx) =>
      appendEvent(tx, 'run:a', { kind: 'log', by: 'daemon', message, data: { message } }),
    )
    expect((await auditEvents(store.db)).findings).toEqual([])
  })

  it('finds no secret, because none is recorded', async () => {
    const store = await openFresh()
    const data = { path: ['DB_PASSWORD=hunter2'], deep: { key: 'sk-live-0123456789' } }
    await store.db.write(['run:a'], (tx) =>
      appendEvent(tx, 'run:a', { kind: 'log', by: 'daemon', message: 'password="hunter2"', data }),
    )
    const [event] = await store.db.read((tx) => sqlOf(tx).all('SELECT message, data FROM events'))
    expect(event).toMatchObject({ message: 'password="[redacted]"' })
    expect(JSON.parse(String(event?.['data']))).toEqual({
      path: ['DB_PASSWORD=[redacted]'],
      deep: { key: '[redacted]' },
    })
  })

  it('is not needed against the product itself: the store refuses to change or delete an event', async () => {
    const store = await openFresh()
    await withEvents(store, { 'run:a': 1 })
    await expect(store.raw("UPDATE events SET message = 'x'")).rejects.toThrow('events are never changed')
    await expect(store.raw('DELETE FROM events')).rejects.toThrow('events are never removed')
  })

  it.each([
    ['message', "'something else'"],
    ['at', "'2001-01-01T00:00:00.000Z'"],
    ['by', "'operator'"],
    ['kind', "'completed'"],
    ['run_id', "'run_x'"],
    ['level', "'verbose'"],
    ['data', "'{}'"],
    ['changes', `'[["-","runs",["x"],{}]]'`],
  ])('finds an altered %s', async (column, value) => {
    const findings = await tampered(`UPDATE events SET ${column} = ${value} WHERE stream = 'run:a' AND seq = 3`)
    expect(findings).toEqual(['run:a 3: altered'])
  })

  it('finds an altered event whose hash was copied from another', async () => {
    const findings = await tampered(`
      UPDATE events SET message = 'x', hash = (SELECT hash FROM events WHERE stream = 'run:b' AND seq = 2)
      WHERE stream = 'run:a' AND seq = 3`)
    expect(findings).toEqual(['run:a 3: altered', 'run:a 4: altered'])
  })

  it('finds two events that were swapped', async () => {
    const findings = await tampered(`
      UPDATE events SET seq = 100 WHERE stream = 'run:a' AND seq = 2;
      UPDATE events SET seq = 2 WHERE stream = 'run:a' AND seq = 3;
      UPDATE events SET seq = 3 WHERE stream = 'run:a' AND seq = 100`)
    expect(findings[0]).toBe('run:a 2: altered')
  })

  it('finds an event removed from the middle', async () => {
    const findings = await tampered("DELETE FROM events WHERE stream = 'run:a' AND seq = 3")
    expect(findings[0]).toBe('run:a 3: removed')
  })

  it('finds an event removed from the middle when the later ones were renumbered', async () => {
    const findings = await tampered(`
      DELETE FROM events WHERE stream = 'run:a' AND seq = 3;
      UPDATE events SET seq = 3 WHERE stream = 'run:a' AND seq = 4;
      UPDATE events SET seq = 4 WHERE stream = 'run:a' AND seq = 5;
      UPDATE streams SET seq = 4 WHERE stream = 'run:a'`)
    expect(findings).toContain('run:a 3: altered')
  })

  it('finds events truncated at the end', async () => {
    const findings = await tampered("DELETE FROM events WHERE stream = 'run:a' AND seq >= 4")
    expect(findings).toEqual(['run:a 4: truncated; the stream should end at 5'])
  })

  it('finds events truncated at the end when the head was set back to match', async () => {
    const findings = await tampered(`
      DELETE FROM events WHERE stream = 'run:a' AND seq >= 4;
      UPDATE streams SET seq = 3, hash = (SELECT hash FROM events WHERE stream = 'run:a' AND seq = 3)
      WHERE stream = 'run:a'`)
    expect(findings).toEqual(["run:a: the head is not sealed by this installation's key"])
  })

  it.each(["''", "(SELECT seal FROM streams WHERE stream = 'run:b')"])(
    'finds a stream that was emptied and got a new head with the seal %s',
    async (seal) => {
      const findings = await tampered(`
        DELETE FROM events WHERE stream = 'run:a';
        UPDATE streams SET seq = 0, hash = '', seal = ${seal} WHERE stream = 'run:a'`)
      expect(findings).toEqual(["run:a: the head is not sealed by this installation's key"])
    },
  )

  it('finds a head that was removed', async () => {
    const findings = await tampered("DELETE FROM streams WHERE stream = 'run:a'")
    expect(findings).toEqual(['run:a: events without a head; the head was removed'])
  })

  it('finds an event inserted at the end, with the head moved or not', async () => {
    const insert = `
      INSERT INTO events (stream, seq, at, kind, by, level, message, data, changes, hash)
      SELECT stream, 6, at, kind, by, level, message, data, changes, hash FROM events
      WHERE stream = 'run:a' AND seq = 5;`
    expect(await tampered(insert)).toContain('run:a 6: altered')
    const moved = `${insert} UPDATE streams SET seq = 6 WHERE stream = 'run:a'`
    expect(await tampered(moved)).toContain('run:a 6: altered')
  })

  it('finds every stream when the key is a different one', async () => {
    const store = await openFresh()
    await withEvents(store, { 'run:a': 2 })
    await store.db.write(['run:empty'], async () => {})
    const stranger = await store.open({ chainKey: new Uint8Array(32).fill(1) })
    expect((await auditEvents(stranger)).findings).toEqual([
      'run:a 1: altered',
      'run:a 2: altered',
      "run:a: the head is not sealed by this installation's key",
      "run:empty: the head is not sealed by this installation's key",
    ])
  })

  it('reads long streams to their end', async () => {
    const store = await openFresh()
    await store.db.write(['run:a'], async (tx) => {
      for (let index = 0; index < 2_345; index++)
        await appendEvent(tx, 'run:a', { kind: 'log', by: 'daemon', message: `event ${index}` })
    })
    expect(await auditEvents(store.db)).toEqual({ streams: 1, events: 2_345, findings: [] })
  })
})
