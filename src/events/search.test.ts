import { expect, it } from 'vitest'

import { describeStores } from '../../test/support/store.ts'
import type { Db } from '../db/port.ts'
import { appendEvent, type NewEvent } from './append.ts'
import { type EventQuery, readFeedPage, readNewest } from './store.ts'

const write = (db: Db, message: string, more: Partial<NewEvent> = {}): Promise<number> =>
  db.write(['run:a'], (tx) => appendEvent(tx, 'run:a', { kind: 'log', by: 'daemon', message, ...more }))

describeStores('events that match a filter', (openFresh) => {
  it('are found however many others came after them, page by page', async () => {
    const { db } = await openFresh()
    const newest = async (query: EventQuery) => db.read((tx) => readNewest(tx, query))
    await write(db, 'The build fell over', { kind: 'failed', code: 'FAIL' })
    await write(db, '100% of the disk is used')
    for (let count = 0; count < 20; count++) await write(db, `line ${count}`)
    const messages = async (query: EventQuery) => (await newest(query)).map(({ message }) => message)
    for (const text of ['BUILD fell', 'fail', 'Failed'])
      expect(await messages({ text, limit: 5 })).toEqual(['The build fell over'])
    expect(await messages({ text: '0%', limit: 5 })).toEqual(['100% of the disk is used'])
    expect(await messages({ text: '_', limit: 5 })).toEqual([])
    expect(await messages({ kind: ['failed'], limit: 5 })).toEqual(['The build fell over'])

    const first = await newest({ text: 'line', limit: 15 })
    const rest = await newest({ text: 'line', limit: 15, before: first[0]?.position })
    expect([...rest, ...first].map(({ message }) => message)).toEqual(
      Array.from({ length: 20 }, (_, index) => `line ${index}`),
    )
    const after = await db.read((tx) => readFeedPage(tx, { text: 'LINE 1', limit: 3, after: 0 }))
    expect(after.events.map(({ message }) => message)).toEqual(['line 1', 'line 10', 'line 11'])
  })
})
