import { expect, it } from 'vitest'

import { describeStores } from '../../test/support/store.ts'
import type { Db } from './port.ts'
import { nextCounter, sqlOf } from './tx.ts'

const count = (db: Db): Promise<number> =>
  db.read(async (tx) =>
    Number((await sqlOf(tx).get("SELECT value FROM counters WHERE name = 'calls'"))?.['value'] ?? 0),
  )

const call = (db: Db, key: string, digest = 'body'): Promise<{ call: number; note: string | null }> =>
  db.once(key, digest, () => db.write([], async (tx) => ({ call: await nextCounter(tx, 'calls'), note: null })))

describeStores('a request with a key', (openFresh) => {
  it('runs once and returns the same answer when it is repeated', async () => {
    const { db } = await openFresh()
    expect(await call(db, 'k1')).toEqual({ call: 1, note: null })
    expect(await call(db, 'k1')).toEqual({ call: 1, note: null })
    expect(await call(db, 'k2')).toEqual({ call: 2, note: null })
    expect(await count(db)).toBe(2)
  })

  it('is refused when its key is reused with another body', async () => {
    const { db } = await openFresh()
    await call(db, 'k1')
    await expect(call(db, 'k1', 'another body')).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    expect(await count(db)).toBe(1)
  })

  it('runs once when it arrives many times concurrently', async () => {
    const { db } = await openFresh()
    const answers = await Promise.all(Array.from({ length: 12 }, () => call(db, 'k1')))
    expect(new Set(answers.map((answer) => answer.call))).toEqual(new Set([1]))
    expect(await count(db)).toBe(1)
  })

  it('is still recognised after a restart', async () => {
    const store = await openFresh()
    await call(store.db, 'k1')
    await store.db.close()
    const later = await store.open()
    expect(await call(later, 'k1')).toEqual({ call: 1, note: null })
    expect(await count(later)).toBe(1)
  })

  it('may be retried under its key after a failure', async () => {
    const { db } = await openFresh()
    const failing = db.once('k1', 'body', () =>
      db.write([], async (tx) => {
        await nextCounter(tx, 'calls')
        throw new Error('no')
      }),
    )
    await expect(failing).rejects.toThrow('no')
    expect(await call(db, 'k1')).toEqual({ call: 1, note: null })
  })

  it('covers only its first write, and no write of a concurrent request', async () => {
    const { db } = await openFresh()
    const twice = (): Promise<number[]> =>
      db.once('k1', 'body', async () => [
        await db.write([], (tx) => nextCounter(tx, 'first')),
        await db.write([], (tx) => nextCounter(tx, 'second')),
      ])
    await Promise.all([twice(), db.write([], (tx) => nextCounter(tx, 'calls'))])
    expect(await twice()).toEqual([1, 2])
    expect(await count(db)).toBe(1)
  })

  it('may read any number of times', async () => {
    const { db } = await openFresh()
    const read = await db.once('k1', 'body', () => db.read(async () => 'seen'))
    expect(read).toBe('seen')
    expect(await call(db, 'k1')).toEqual({ call: 1, note: null })
  })
})
