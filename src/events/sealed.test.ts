import { dirname } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

import { startServer } from '../../test/support/server.ts'
import { describeStores, freshFolder, type FreshStore, type OpenFresh, testChainKey } from '../../test/support/store.ts'
import { homePaths, prepareHome, readOrCreateSecret } from '../daemon/home.ts'
import type { Db } from '../db/port.ts'
import { type AnyTable, findRow, findRows, table } from '../db/table.ts'
import { sqlOf } from '../db/tx.ts'
import { examineStore } from '../doctor/store.ts'
import { systemClock } from '../kernel/clock.ts'
import { eventTables } from '../tables.ts'
import type { NewEvent } from './append.ts'
import { auditEvents } from './audit.ts'
import { change, create, deleted, inserted, record, updated } from './change.ts'
import { createFeed } from './feed.ts'
import { forget, type Forgotten, forgotten } from './forget.ts'
import { replayEvents } from './replay.ts'
import { eventRoutes } from './routes.ts'
import { createEvents } from './service.ts'

/** A table as nouns with forgettable texts have one; the product has none yet. */
interface Memo {
  id: number
  title: string
  content: string | null
}
const stream = () => 'org:1' as const
const memos = table<Memo>('memos', { sealed: ['content'], stream })
const memosBeforeTheSeal = table<Memo>('memos', { stream })
const createTable = 'CREATE TABLE memos (id BIGINT PRIMARY KEY, title TEXT NOT NULL, content TEXT, content_salt TEXT)'

const marker = 'Her blood group is AB negative, says the marker'
const other = 'Another text that nobody else needs to read'
const event: NewEvent = { kind: 'org_changed', by: 'operator', message: 'a memo changed' }

async function openMemos(openFresh: OpenFresh): Promise<FreshStore> {
  const store = await openFresh()
  await store.raw(createTable)
  return store
}

const add = (db: Db, id: number, content: string | null, of = memos): Promise<Memo> =>
  db.write(['org:1'], (tx) => create(tx, of, { id, title: `memo ${id}`, content }, event))

const edit = (db: Db, id: number, patch: Partial<Memo>, of = memos): Promise<Memo> =>
  db.write(['org:1'], async (tx) => change(tx, of, (await findRow(tx, of, id)) as Memo, patch, event))

const forgetMemo = (db: Db, id: number, of = memos): Promise<Forgotten> =>
  db.write(['org:1'], async (tx) =>
    forget(tx, { ...event, message: `Memo ${id} forgotten` }, [forgotten(of, (await findRow(tx, of, id)) as Memo)]),
  )

const show = (db: Db, id: number): Promise<Memo | undefined> => db.read((tx) => findRow(tx, memos, id))
const differences = async (db: Db, of: AnyTable = memos): Promise<string[]> =>
  (await replayEvents(db, [of])).differences

/** Returns the names of all tables of the store in which the text is found, in whatever column. */
async function tablesWith(store: FreshStore, text: string, kind: 'sqlite' | 'postgres'): Promise<string[]> {
  const names = await store.raw(
    kind === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  )
  const found: string[] = []
  for (const { name } of names)
    if (JSON.stringify(await store.raw(`SELECT * FROM ${String(name)}`)).includes(text)) found.push(String(name))
  return found.sort()
}

describeStores('a sealed column', (openFresh, kind) => {
  it('keeps its text in the row alone, through every kind of change', async () => {
    const store = await openMemos(openFresh)
    const { db } = store
    await add(db, 1, marker)
    expect(await tablesWith(store, marker, kind)).toEqual(['memos'])
    expect(await differences(db)).toEqual([])

    // A change that does not touch the text.
    expect(await edit(db, 1, { title: 'renamed' })).toEqual({ id: 1, title: 'renamed', content: marker })
    expect(await differences(db)).toEqual([])
    expect(await tablesWith(store, marker, kind)).toEqual(['memos'])

    await edit(db, 1, { content: other })
    expect(await differences(db)).toEqual([])
    expect(await tablesWith(store, marker, kind)).toEqual([])
    expect(await tablesWith(store, other, kind)).toEqual(['memos'])
    expect(await show(db, 1)).toEqual({ id: 1, title: 'renamed', content: other })

    await edit(db, 1, { content: null })
    expect(await differences(db)).toEqual([])
    await edit(db, 1, { content: marker })
    await db.write(['org:1'], async (tx) => record(tx, event, [deleted(memos, (await findRow(tx, memos, 1)) as Memo)]))
    expect(await tablesWith(store, marker, kind)).toEqual([])
    expect(await differences(db)).toEqual([])
    expect((await auditEvents(db)).findings).toEqual([])
  })

  it('is added or replaced, deleted and added again within one transaction', async () => {
    const store = await openMemos(openFresh)
    const put = (content: string): Promise<void> =>
      store.db.write(['org:1'], async (tx) => {
        const [row] = await findRows(tx, memos, 'id = ?', [1])
        const memo = { id: 1, title: 'put', content }
        await record(tx, event, [row === undefined ? inserted(memos, memo) : updated(memos, row, { content })])
      })
    await put(other)
    await put(marker)
    expect(await show(store.db, 1)).toEqual({ id: 1, title: 'put', content: marker })
    expect(await differences(store.db)).toEqual([])
    await store.db.write(['org:1'], async (tx) => {
      const memo: Memo = { id: 1, title: 'put', content: marker }
      await record(tx, event, [deleted(memos, memo), inserted(memos, { ...memo, content: other })])
      await record(tx, event, [updated(memos, memo, { content: marker }), updated(memos, memo, { title: 'twice' })])
    })
    expect(await show(store.db, 1)).toEqual({ id: 1, title: 'twice', content: marker })
    expect(await differences(store.db)).toEqual([])
    expect(await tablesWith(store, other, kind)).toEqual([])
  })

  it('has another hash for the same text in another row or written again, so that no guess can be confirmed', async () => {
    const { db, raw } = await openMemos(openFresh)
    await add(db, 1, 'yes')
    await add(db, 2, 'yes')
    await edit(db, 1, { content: 'yes' })
    const events = await raw("SELECT changes FROM events WHERE stream = 'org:1' ORDER BY seq")
    const hashes = events.flatMap(({ changes }) =>
      (JSON.parse(String(changes)) as [string, string, unknown[], { content: { sealed: string } }][]).map(
        ([, , , columns]) => columns.content.sealed,
      ),
    )
    expect(new Set(hashes).size).toBe(3)
    for (const each of hashes) expect(each).toMatch(/^[\w-]{43}$/)
    // The salt is what makes a guess impossible: no event may have it.
    for (const { content_salt: salt } of await raw('SELECT content_salt FROM memos'))
      expect(JSON.stringify(events)).not.toContain(String(salt))
  })

  it('takes any text that a store can keep, and none that it would change', async () => {
    const { db } = await openMemos(openFresh)
    const texts = ['', ' ', '\n', '{"sealed":"x"}', 'é', '😀'.repeat(3_000), `half ${'😀'.slice(0, 1)}, zero \0`]
    for (const [index, text] of texts.entries()) await add(db, index, text)
    expect(await differences(db)).toEqual([])
  })

  it('refuses everything that is no text', async () => {
    const { db } = await openMemos(openFresh)
    const row = { id: 1, title: 'number', content: 7 as unknown as string }
    await expect(db.write(['org:1'], (tx) => create(tx, memos, row, event))).rejects.toMatchObject({ code: 'bug' })
    expect(() => table<Memo>('memos', { sealed: ['id'], stream })).toThrow('memos.id cannot be sealed')
    expect(() => table<Memo>('memos', { sealed: ['content'], json: ['content'], stream })).toThrow('cannot be sealed')
  })

  it('is hidden where the event of a change quotes it, whole or in passages', async () => {
    const store = await openMemos(openFresh)
    const { db } = store
    const quoting: NewEvent = {
      ...event,
      message: `memo: ${marker}; once more: ${marker.slice(0, 30)}…`,
      data: { deep: [{ [marker]: marker.slice(4, 40) }], kept: 'a memo' },
    }
    const memo = { id: 1, title: 'quoted', content: marker }
    await db.write(['org:1'], (tx) => create(tx, memos, memo, quoting))
    // The text that a change does not touch, or replaces, is as secret as the new one.
    await db.write(['org:1'], (tx) => change(tx, memos, memo, { title: 'again' }, quoting))
    await db.write(['org:1'], (tx) => change(tx, memos, memo, { content: other }, quoting))
    const events = await store.raw("SELECT message, data FROM events WHERE stream = 'org:1'")
    expect(events).toHaveLength(3)
    for (const { message, data } of events) {
      expect(message).toBe('memo: [sealed]; once more: [sealed]…')
      expect(JSON.parse(String(data))).toEqual({ deep: [{ '[sealed]': '[sealed]' }], kept: 'a memo' })
    }
  })
})

describeStores('a replay of sealed columns', (openFresh) => {
  const tampered = async (...statements: string[]): Promise<string[]> => {
    const { db, raw } = await openMemos(openFresh)
    await add(db, 1, marker)
    await add(db, 2, marker)
    await add(db, 3, null)
    await add(db, 4, other)
    await forgetMemo(db, 4)
    expect(await differences(db)).toEqual([])
    for (const each of statements) await raw(each)
    return differences(db)
  }

  it.each([
    [
      "UPDATE memos SET content = 'forged text' WHERE id = 1",
      'memos 1: content is another text in the store than in the events',
    ],
    [
      "UPDATE memos SET content_salt = 'forged' WHERE id = 1",
      'memos 1: content is another text in the store than in the events',
    ],
    [
      'UPDATE memos SET content_salt = NULL WHERE id = 1',
      'memos 1: content is another text in the store than in the events',
    ],
    [
      'UPDATE memos SET content_salt = (SELECT content_salt FROM memos WHERE id = 2) WHERE id = 1',
      'memos 1: content is another text in the store than in the events',
    ],
    [
      'UPDATE memos SET content = NULL, content_salt = NULL WHERE id = 1',
      'memos 1: content has no text in the store and has one in the events',
    ],
    [
      "UPDATE memos SET content = 'forged text' WHERE id = 3",
      'memos 3: content has a text in the store and none in the events',
    ],
    [
      `UPDATE memos SET content = '${other}' WHERE id = 4`,
      'memos 4: content has a text in the store and is forgotten in the events',
    ],
    [
      "UPDATE memos SET content_salt = 'left' WHERE id = 4",
      'memos 4: content has no text in the store, and the salt of one',
    ],
  ])('finds what was changed without an event, and shows no text: %s', async (statement, found) => {
    expect(await tampered(statement)).toEqual([found])
  })

  it('still finds changes of the other columns', async () => {
    expect(await tampered("UPDATE memos SET title = 'forged' WHERE id = 4")).toEqual([
      'memos 4: title is "forged" in the store, "memo 4" in the events',
    ])
  })
})

describeStores('forgetting', (openFresh, kind) => {
  it('blanks the text and its salt, and says so in an event; chain and replay stay intact', async () => {
    const store = await openMemos(openFresh)
    const { db, raw } = store
    await add(db, 1, marker)
    const { seq, keptBy } = await forgetMemo(db, 1)
    expect(keptBy).toEqual([])
    expect(await raw('SELECT * FROM memos')).toEqual([
      { id: expect.anything() as unknown, title: 'memo 1', content: null, content_salt: null },
    ])
    const [said] = await raw(`SELECT message, data FROM events WHERE stream = 'org:1' AND seq = ${seq}`)
    expect(said?.['message']).toBe('Memo 1 forgotten')
    expect(JSON.parse(String(said?.['data']))).toEqual({ forgotten: ['memos 1: content'], kept_by: [] })
    expect(await differences(db)).toEqual([])
    expect((await auditEvents(db)).findings).toEqual([])
    expect(await tablesWith(store, marker, kind)).toEqual([])
  })

  it('may be repeated, and the row may be changed, filled again and deleted later', async () => {
    const { db } = await openMemos(openFresh)
    await add(db, 1, marker)
    await forgetMemo(db, 1)
    await forgetMemo(db, 1)
    await edit(db, 1, { title: 'of something forgotten' })
    expect(await differences(db)).toEqual([])
    await edit(db, 1, { content: other })
    expect(await show(db, 1)).toMatchObject({ content: other })
    expect(await differences(db)).toEqual([])
    await forgetMemo(db, 1)
    await db.write(['org:1'], async (tx) => record(tx, event, [deleted(memos, (await findRow(tx, memos, 1)) as Memo)]))
    expect(await differences(db)).toEqual([])
  })

  it('changes several rows, and others with them, in one event', async () => {
    const { db } = await openMemos(openFresh)
    const rows = [await add(db, 1, marker), await add(db, 2, other), await add(db, 3, marker)]
    await db.write(['org:1'], (tx) =>
      forget(tx, event, [
        ...rows.slice(0, 2).map((row) => forgotten(memos, row)),
        updated(memos, rows[2] as Memo, { title: 'stays' }),
      ]),
    )
    expect(await db.read((tx) => findRows(tx, memos, '1 = 1 ORDER BY id'))).toEqual([
      { id: 1, title: 'memo 1', content: null },
      { id: 2, title: 'memo 2', content: null },
      { id: 3, title: 'stays', content: marker },
    ])
    expect(await differences(db)).toEqual([])
  })

  it('undone together with a failed transaction forgets nothing', async () => {
    const { db } = await openMemos(openFresh)
    const row = await add(db, 1, marker)
    const failing = db.write(['org:1'], async (tx) => {
      await forget(tx, event, [forgotten(memos, row)])
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    expect(await show(db, 1)).toMatchObject({ content: marker })
    expect(await differences(db)).toEqual([])
  })

  it('says which older events still have a text, because they were written before the column was sealed', async () => {
    const store = await openMemos(openFresh)
    const { db, raw } = store
    await add(db, 1, marker, memosBeforeTheSeal)
    await add(db, 2, other, memosBeforeTheSeal)
    await edit(db, 1, { title: 'no text here' }, memosBeforeTheSeal)
    await edit(db, 1, { content: `${marker}, corrected` }, memosBeforeTheSeal)
    // From here on the column is sealed; the rows have texts without a salt.
    expect(await differences(db)).toEqual([])
    await edit(db, 1, { title: 'renamed since' })
    expect(await differences(db)).toEqual([])
    await raw("UPDATE memos SET content = 'forged' WHERE id = 2")
    expect(await differences(db)).toEqual(['memos 2: content is another text in the store than in the events'])
    await raw(`UPDATE memos SET content = '${other}' WHERE id = 2`)
    await edit(db, 1, { content: `${marker}, sealed now` })

    const { seq, keptBy } = await forgetMemo(db, 1)
    expect(keptBy).toEqual([1, 4])
    const [said] = await raw(`SELECT message, data FROM events WHERE stream = 'org:1' AND seq = ${seq}`)
    expect(said?.['message']).toBe('Memo 1 forgotten; 2 older events still have the text')
    expect(JSON.parse(String(said?.['data']))).toMatchObject({ kept_by: [1, 4] })
    expect(await tablesWith(store, marker, kind)).toEqual(['events'])
    expect(await tablesWith(store, 'sealed now', kind)).toEqual([])
    expect((await forgetMemo(db, 2)).keptBy).toEqual([2])
    expect(await differences(db)).toEqual([])
    expect((await auditEvents(db)).findings).toEqual([])
  })

  it('removes the text from the stored answer of a request, which is still not carried out twice', async () => {
    const store = await openMemos(openFresh)
    const { db } = store
    const request = (): Promise<Memo> => db.once('key', 'digest', () => add(db, 1, 'short'))
    expect(await request()).toMatchObject({ content: 'short' })
    expect(await tablesWith(store, '"content\\":\\"short', kind)).toEqual(['answers'])
    await forgetMemo(db, 1)
    expect(await tablesWith(store, 'short', kind)).toEqual([])
    expect(await request()).toEqual({ id: 1, title: 'memo 1', content: null })
  })

  it('is refused for a field that is not sealed, and for an event that forgets nothing', async () => {
    const { db } = await openMemos(openFresh)
    const row = await add(db, 1, marker)
    expect(() => forgotten(memos, row, ['title'])).toThrow('memos.title is not sealed')
    expect(() => forgotten(memosBeforeTheSeal, row)).toThrow('memos has no sealed field')
    const forgettingNothing = db.write(['org:1'], (tx) => forget(tx, event, [updated(memos, row, { title: 'x' })]))
    await expect(forgettingNothing).rejects.toMatchObject({ code: 'bug' })
  })
})

describeStores('the text of a sealed column', (openFresh, kind) => {
  /** Adds the table to those that the doctor replays. */
  const withMemos = async (): Promise<FreshStore> => {
    const tables = eventTables as AnyTable[]
    tables.push(memos)
    onTestFinished(() => void tables.splice(tables.indexOf(memos), 1))
    return openMemos(openFresh)
  }

  const doctor = async ({ place, db }: FreshStore): Promise<string> => {
    const paths = homePaths({
      AGENCY_HOME: place.kind === 'sqlite' ? dirname(place.path) : freshFolder(),
    })
    prepareHome(paths)
    readOrCreateSecret(paths.chainKey, () => testChainKey)
    expect(db.kind).toBe(kind)
    const findings = await examineStore(
      { paths, clock: systemClock, notifiers: null },
      place.kind === 'postgres' ? place.url : null,
      { audit: true, replay: true },
    )
    return findings
      .filter(({ name }) => name === 'audit' || name === 'replay')
      .map(({ name, status, detail }) => `${name} ${status}: ${detail}`)
      .join('\n')
  }

  it('is accepted by the doctor when it was forgotten, and found by it when it was forged, without being shown', async () => {
    const store = await withMemos()
    await add(store.db, 1, marker)
    await add(store.db, 2, marker)
    await forgetMemo(store.db, 2)
    const intact = await doctor(store)
    expect(intact).toContain('audit ok: chain intact: 3 events')
    expect(intact).toContain('replay ok: 0 differences (2 rows rebuilt from 3 events)')
    await store.raw(`UPDATE memos SET content = '${other}' WHERE id = 1`)
    const forged = await doctor(store)
    expect(forged).toContain('replay fail: 1 difference: memos 1: content is another text')
    expect(forged).not.toContain(other)
  })

  it('is in no event of the API or of a live stream, and in no log line about a failed write', async () => {
    const store = await openMemos(openFresh)
    const { db } = store
    const feed = createFeed({ db })
    const events = createEvents({
      db,
      clock: systemClock,
      feed,
      resolveRun: async () => 'run_none',
      hasRunEnded: async () => true,
      checkFence: async () => ({}),
    })
    const { send, logged, address, operatorToken } = await startServer({ db, routes: eventRoutes(events) })
    await add(db, 1, marker)
    await edit(db, 1, { content: `${marker} again` })
    // PostgreSQL describes the whole row that violates a constraint.
    const failing = add(db, 1, marker, memos).catch((error: unknown) => error)
    const untitled = db
      .write(['org:1'], (tx) => create(tx, memos, { id: 9, title: null as unknown as string, content: marker }, event))
      .catch((error: unknown) => error)
    for (const error of [await failing, await untitled]) {
      expect(error).toBeInstanceOf(Error)
      expect(`${String(error)} ${String((error as Error).stack)}`).not.toContain(marker)
    }
    await forgetMemo(db, 1)

    const listed = await send('GET', '/api/events', { headers: { accept: 'application/json' } })
    expect(listed.json['events']).toHaveLength(3)
    expect(listed.text).not.toContain(marker)
    const streamed = await readStream(`${address}/api/events`, operatorToken, 3)
    expect(streamed).toContain('a memo changed')
    expect(streamed).not.toContain(marker)
    expect(JSON.stringify(logged)).not.toContain(marker)
  })

  it('is not in a dump of the events, from which all rows but the texts can be rebuilt', async () => {
    const store = await openMemos(openFresh)
    await add(store.db, 1, marker)
    await edit(store.db, 1, { content: other })
    const dump = JSON.stringify(
      await store.db.read(async (tx) => [
        await sqlOf(tx).all('SELECT * FROM events'),
        await sqlOf(tx).all('SELECT * FROM streams'),
      ]),
    )
    expect(dump).toContain('sealed')
    for (const text of [marker, other]) expect(dump).not.toContain(text)
  })
})

/** Reads a live stream until it has sent so many events. */
async function readStream(address: string, token: string, events: number): Promise<string> {
  const { body } = await fetch(address, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
  })
  let text = ''
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part
    if (text.split('\ndata:').length > events) break
  }
  return text
}
