import { spawnSync } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'

import { describe, expect, it } from 'vitest'

import { createGate } from '../../test/support/gate.ts'
import { describeStores, freshSqlite, testChainKey } from '../../test/support/store.ts'
import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import { appendEvent } from '../events/append.ts'
import { auditEvents } from '../events/audit.ts'
import { listStreamEvents } from '../events/store.ts'
import { column, integer } from './columns.ts'
import type { Db, ReadTx, Stream, Tx } from './port.ts'
import { openSqlite } from './sqlite.ts'
import { nextCounter, raiseCounter, sqlOf } from './tx.ts'

const addRole = async (tx: Tx, id: number): Promise<void> => {
  await sqlOf(tx).run('INSERT INTO roles (id, name, description) VALUES (?, ?, ?)', [id, `role ${id}`, ''])
}
const roleIds = (tx: ReadTx): Promise<number[]> =>
  column('id', integer).all(sqlOf(tx), 'SELECT id FROM roles ORDER BY id')
const rolesOf = (db: Db): Promise<number[]> => db.read(roleIds)
const log = (tx: Tx, stream: Stream, message: string): Promise<number> =>
  appendEvent(tx, stream, { kind: 'log', by: 'daemon', message })

describeStores('a transaction', (openFresh) => {
  it('is durable after its promise resolves, in this process and the next', async () => {
    const store = await openFresh()
    await store.db.write([], async (tx) => {
      await addRole(tx, 1)
      await addRole(tx, 2)
    })
    expect(await rolesOf(store.db)).toEqual([1, 2])
    await store.db.close()
    expect(await rolesOf(await store.open())).toEqual([1, 2])
  })

  it('leaves nothing behind when its callback throws, and rethrows the error unchanged', async () => {
    const { db } = await openFresh()
    const failure = new Error('changed my mind')
    const writing = db.write(['system'], async (tx) => {
      await addRole(tx, 1)
      await log(tx, 'system', 'never')
      throw failure
    })
    await expect(writing).rejects.toBe(failure)
    expect(await rolesOf(db)).toEqual([])
    expect(await db.read((tx) => listStreamEvents(tx, 'system', { limit: 10 }))).toEqual([])
    expect(await db.write(['system'], (tx) => log(tx, 'system', 'first'))).toBe(1)
  })

  it('is rolled back when the store refuses one of its statements', async () => {
    const { db } = await openFresh()
    const writing = db.write([], async (tx) => {
      await addRole(tx, 1)
      await addRole(tx, 1)
    })
    await expect(writing).rejects.toThrow(/unique/i)
    expect(await rolesOf(db)).toEqual([])
  })

  it('is invisible to others before it is committed', async () => {
    const { db } = await openFresh()
    const inserted = createGate()
    const release = createGate()
    const writing = db.write([], async (tx) => {
      await addRole(tx, 1)
      inserted.open()
      await release.opened
    })
    await inserted.opened
    expect(await rolesOf(db)).toEqual([])
    release.open()
    await writing
    expect(await rolesOf(db)).toEqual([1])
  })

  it('rejects a nested write or read at once and continues unharmed', async () => {
    const { db } = await openFresh()
    await db.write([], async (tx) => {
      await expect(db.write([], async () => {})).rejects.toMatchObject({ code: 'bug' })
      await expect(db.read(async () => {})).rejects.toMatchObject({ code: 'bug' })
      await addRole(tx, 1)
    })
    expect(await rolesOf(db)).toEqual([1])
    await expect(db.read(() => db.write([], async () => {}))).rejects.toMatchObject({ code: 'bug' })
  })

  it('calls back after the commit, when others can see it, and before its promise resolves', async () => {
    const { db } = await openFresh()
    const seen: string[] = []
    let during: Promise<number[]> | undefined
    await db.write([], async (tx) => {
      tx.afterCommit(() => {
        seen.push('committed')
        during = rolesOf(db)
      })
      await addRole(tx, 1)
      seen.push('written')
    })
    seen.push('resolved')
    expect(seen).toEqual(['written', 'committed', 'resolved'])
    expect(await during).toEqual([1])
  })

  it('makes no callbacks when it is rolled back', async () => {
    const { db } = await openFresh()
    let called = false
    const writing = db.write([], async (tx) => {
      tx.afterCommit(() => (called = true))
      throw new Error('no')
    })
    await expect(writing).rejects.toThrow('no')
    await db.write([], async () => {})
    expect(called).toBe(false)
  })

  it('notifies listeners of commits with events, and only of those', async () => {
    const { db } = await openFresh()
    let rings = 0
    const stop = db.onCommit(() => rings++)
    await db.write([], (tx) => addRole(tx, 1))
    expect(rings).toBe(0)
    await db.write(['system'], (tx) => log(tx, 'system', 'hello'))
    expect(rings).toBe(1)
    stop()
    await db.write(['system'], (tx) => log(tx, 'system', 'nobody listens'))
    expect(rings).toBe(1)
  })

  it('tells listeners if every transaction of a commit made no work ready', async () => {
    const { db } = await openFresh()
    const seen: boolean[] = []
    db.onCommit(({ mayBeReady }) => seen.push(mayBeReady))
    const write = (isQuiet: boolean): Promise<unknown> =>
      db.write(['system'], async (tx) => {
        if (isQuiet) tx.makesNothingReady()
        await log(tx, 'system', 'hello')
      })
    await write(false)
    await write(true)
    expect(seen).toEqual([true, false])
    // On SQLite they are one commit.
    await Promise.all([write(true), write(false), write(true)])
    expect(seen.slice(2)).toContain(true)
  })

  it('uses one timestamp for everything it writes', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    await db.write(['run:a', 'run:b'], async (tx) => {
      await log(tx, 'run:a', 'one')
      clock.advance(5)
      await log(tx, 'run:b', 'two')
    })
    const [a, b] = await db.read(async (tx) => [
      ...(await listStreamEvents(tx, 'run:a', { limit: 1 })),
      ...(await listStreamEvents(tx, 'run:b', { limit: 1 })),
    ])
    expect(a?.at).toBe('2030-01-01T00:00:00.000Z')
    expect(b?.at).toBe(a?.at)
  })

  it('counts without a gap after a rollback, and never below the ids that an import has used', async () => {
    const { db } = await openFresh()
    const next = (): Promise<number> => db.write([], (tx) => nextCounter(tx, 'roles'))
    expect(await next()).toBe(1)
    const lost = db.write([], async (tx) => {
      await nextCounter(tx, 'roles')
      throw new Error('lost')
    })
    await expect(lost).rejects.toThrow('lost')
    expect(await next()).toBe(2)
    await db.write([], (tx) => raiseCounter(tx, 'roles', 10))
    expect(await next()).toBe(11)
    await db.write([], (tx) => raiseCounter(tx, 'roles', 3))
    expect(await next()).toBe(12)
    expect(await db.write([], (tx) => nextCounter(tx, 'another'))).toBe(1)
  })

  it('rejects an event for a stream that it has not locked', async () => {
    const { db } = await openFresh()
    const writing = db.write(['run:a'], (tx) => log(tx, 'run:b', 'smuggled'))
    await expect(writing).rejects.toThrow('has not locked')
  })

  it('can lock a stream that is created inside it', async () => {
    const { db } = await openFresh()
    await db.write(['system'], async (tx) => {
      await tx.lock('run:a')
      await tx.lock('system')
      await log(tx, 'run:a', 'one')
      await log(tx, 'system', 'one')
    })
    await db.write(['run:a'], (tx) => log(tx, 'run:a', 'two'))
    expect(await auditEvents(db)).toEqual({ streams: 2, events: 3, findings: [] })
  })

  it('numbers a stream correctly when the clock jumps back', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    await db.write(['run:a'], (tx) => log(tx, 'run:a', 'before'))
    clock.jump(-3_600_000)
    await db.write(['run:a'], (tx) => log(tx, 'run:a', 'after'))
    const events = await db.read((tx) => listStreamEvents(tx, 'run:a', { limit: 10 }))
    expect(events.map(({ seq, message }) => [seq, message])).toEqual([
      [1, 'before'],
      [2, 'after'],
    ])
    expect((await auditEvents(db)).findings).toEqual([])
  })

  it('is refused once the store is closed, as is a read; closing twice is harmless', async () => {
    const { db } = await openFresh()
    const last = db.write([], (tx) => addRole(tx, 1))
    await Promise.all([last, db.close()])
    await db.close()
    await expect(db.write([], async () => {})).rejects.toMatchObject({ code: 'stopping' })
    await expect(db.read(async () => {})).rejects.toMatchObject({ code: 'stopping' })
  })

  it('returns numbers as numbers, also for wide columns and sums', async () => {
    const { db } = await openFresh()
    await db.write([], (tx) => raiseCounter(tx, 'big', 2 ** 53 - 2))
    const row = await db.read((tx) =>
      sqlOf(tx).get('SELECT value, COUNT(*) AS count, SUM(value) AS sum FROM counters GROUP BY value'),
    )
    expect(row).toEqual({ value: 2 ** 53 - 2, count: 1, sum: 2 ** 53 - 2 })
  })

  it('counts the statements that it runs', async () => {
    const { db } = await openFresh()
    const before = db.statements()
    await db.write([], (tx) => addRole(tx, 1))
    const after = db.statements()
    expect(after).toBeGreaterThan(before)
    await Promise.resolve()
    expect(db.statements()).toBe(after)
    await db.read(roleIds)
    expect(db.statements() - after).toBe(3)
  })
})

describeStores('a read', (openFresh) => {
  it('sees the last commit, and keeps the same snapshot while others write', async () => {
    const { db } = await openFresh()
    await db.write([], (tx) => addRole(tx, 1))
    const looked = createGate()
    const written = createGate()
    const reading = db.read(async (tx) => {
      const before = await roleIds(tx)
      looked.open()
      await written.opened
      return [before, await roleIds(tx)]
    })
    await looked.opened
    await db.write([], (tx) => addRole(tx, 2))
    written.open()
    expect(await reading).toEqual([[1], [1]])
    expect(await rolesOf(db)).toEqual([1, 2])
  })

  it('does not affect the next read when it fails', async () => {
    const { db } = await openFresh()
    await expect(db.read((tx) => sqlOf(tx).all('SELECT id FROM nowhere'))).rejects.toThrow(/nowhere/)
    expect(await rolesOf(db)).toEqual([])
  })

  it('cannot write', async () => {
    const { db } = await openFresh()
    const writing = db.read((tx) => sqlOf(tx).run("INSERT INTO counters (name, value) VALUES ('x', 1)"))
    await expect(writing).rejects.toThrow(/read-?only/i)
  })

  it('works on a store that was opened read-only, where a write is refused', async () => {
    const store = await openFresh()
    await store.db.write([], (tx) => addRole(tx, 1))
    const view = await store.open({ readOnly: true })
    expect(await rolesOf(view)).toEqual([1])
    await expect(view.write([], async () => {})).rejects.toMatchObject({ code: 'bug' })
  })
})

describe('group commit, on SQLite', () => {
  it('puts concurrent writes into one transaction, in the order of the calls', async () => {
    const { db } = await freshSqlite()
    const before = db.statements()
    const order: number[] = []
    await Promise.all(
      [1, 2, 3, 4, 5].map((id) =>
        db.write([], async (tx) => {
          order.push(id)
          await addRole(tx, id)
        }),
      ),
    )
    expect(order).toEqual([1, 2, 3, 4, 5])
    // One BEGIN and one COMMIT for all; one statement per callback.
    expect(db.statements() - before).toBe(2 + 5)
  })

  it('keeps the writes before and after one that fails', async () => {
    const { db } = await freshSqlite()
    const results = await Promise.allSettled([
      db.write(['run:a'], async (tx) => [await addRole(tx, 1), await log(tx, 'run:a', 'first')][1]),
      db.write(['run:a'], async (tx) => {
        await addRole(tx, 2)
        await log(tx, 'run:a', 'lost')
        throw new Error('mine alone')
      }),
      db.write(['run:a'], (tx) => addRole(tx, 1)),
      db.write(['run:a'], async (tx) => [await addRole(tx, 3), await log(tx, 'run:a', 'second')][1]),
    ])
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : null))).toEqual([1, null, null, 2])
    expect(await rolesOf(db)).toEqual([1, 3])
    expect((await auditEvents(db)).findings).toEqual([])
  })

  it('reads the head of a stream once, not in every batch', async () => {
    const { db } = await freshSqlite()
    await db.write(['run:a'], (tx) => log(tx, 'run:a', 'first'))
    const before = db.statements()
    await db.write(['run:a'], (tx) => log(tx, 'run:a', 'second'))
    // BEGIN, the head, the event, COMMIT.
    expect(db.statements() - before).toBe(4)
    expect(await auditEvents(db)).toEqual({ streams: 1, events: 2, findings: [] })
  })

  it('keeps no head that a failed write or a failed commit has left behind', async () => {
    const { db } = await freshSqlite()
    const fail = (): Promise<unknown> =>
      db.write(['run:a', 'run:b'], async (tx) => {
        await log(tx, 'run:a', 'lost')
        await log(tx, 'run:b', 'lost')
        throw new Error('mine alone')
      })
    const failCommit = (): Promise<unknown> =>
      db.write(['run:a'], async (tx) => {
        await log(tx, 'run:a', 'lost')
        await sqlOf(tx).run('PRAGMA defer_foreign_keys = ON')
        await sqlOf(tx).run(
          "INSERT INTO dependencies (run_id, brief_id, after_id, met) VALUES ('no run', 'no brief', 'no other', 0)",
        )
      })
    for (const [lost, beside] of [
      [fail, 'fulfilled'],
      [failCommit, 'rejected'],
    ] as const) {
      await db.write(['run:a'], (tx) => log(tx, 'run:a', 'kept'))
      const besideIt = (): Promise<unknown> => db.write(['run:a'], (tx) => log(tx, 'run:a', 'beside it'))
      const results = await Promise.allSettled([besideIt(), besideIt(), lost()])
      expect(results.map(({ status }) => status)).toEqual([beside, beside, 'rejected'])
      await db.write(['run:a', 'run:b'], (tx) => log(tx, 'run:b', 'after it'))
      await db.write(['run:a'], (tx) => log(tx, 'run:a', 'after it'))
      expect((await auditEvents(db)).findings).toEqual([])
    }
  })

  it('lets a later write of the batch see an earlier one and its events', async () => {
    const { db } = await freshSqlite()
    const [, seen, events] = await Promise.all([
      db.write(['run:a'], async (tx) => {
        await addRole(tx, 1)
        await log(tx, 'run:a', 'first')
      }),
      db.write([], roleIds),
      db.write(['run:a'], async (tx) => {
        await log(tx, 'run:a', 'second')
        return listStreamEvents(tx, 'run:a', { limit: 10 })
      }),
    ])
    expect(seen).toEqual([1])
    expect(events.map(({ seq, message }) => [seq, message])).toEqual([
      [1, 'first'],
      [2, 'second'],
    ])
    expect(await auditEvents(db)).toEqual({ streams: 1, events: 2, findings: [] })
  })

  it('resolves promises and calls back only once the whole batch is durable', async () => {
    const { db } = await freshSqlite()
    const seen: string[] = []
    const write = (id: number): Promise<void> =>
      db
        .write([], async (tx) => {
          tx.afterCommit(() => seen.push(`${id} committed`))
          await addRole(tx, id)
          seen.push(`${id} ran`)
        })
        .then(() => void seen.push(`${id} resolved`))
    await Promise.all([write(1), write(2)])
    expect(seen).toEqual(['1 ran', '2 ran', '1 committed', '2 committed', '1 resolved', '2 resolved'])
  })

  it('continues with the remaining writes when there are more than a batch can hold', async () => {
    const { db } = await freshSqlite()
    const ids = Array.from({ length: 200 }, (_, index) => index + 1)
    await Promise.all(ids.map((id) => db.write([], (tx) => addRole(tx, id))))
    expect(await rolesOf(db)).toEqual(ids)
  })

  it('rejects every queued write when no transaction can begin', async () => {
    const store = await freshSqlite()
    const intruder = new DatabaseSync(store.place.path)
    intruder.exec('BEGIN IMMEDIATE')
    const results = await Promise.allSettled([1, 2, 3].map((id) => store.db.write([], (tx) => addRole(tx, id))))
    intruder.exec('ROLLBACK')
    intruder.close()
    for (const result of results)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'store_unusable' } })
    await store.db.write([], (tx) => addRole(tx, 4))
    expect(await rolesOf(store.db)).toEqual([4])
  })
})

describe('a store in memory', () => {
  const open = (): Promise<Db> => openSqlite({ path: ':memory:', clock: createVirtualClock(), chainKey: testChainKey })

  it('reads between its writes', async () => {
    const db = await open()
    const [, seen] = await Promise.all([db.write([], (tx) => addRole(tx, 1)), rolesOf(db), rolesOf(db)])
    expect(seen).toEqual([1])
    await db.close()
  })

  it('reads no write of its batch, which may still be rolled back', async () => {
    const db = await open()
    const seen: number[][] = []
    const results = await Promise.allSettled([
      db.write([], (tx) => addRole(tx, 1)),
      db.read(async (tx) => seen.push(await roleIds(tx))),
      db.write([], (tx) => addRole(tx, 2)),
      db.read(async (tx) => seen.push(await roleIds(tx))),
      db.write([], (tx) => addRole(tx, 2)),
    ])
    expect(results.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), 'rejected'])
    expect(seen).toEqual([[1], [1, 2]])
  })

  it('does not apply the key of the request that woke its writer to the work of others', async () => {
    const db = await open()
    let later: Promise<void> | undefined
    await Promise.all([
      db.once('key', 'digest', () => rolesOf(db)),
      db.write([], async (tx) => {
        tx.afterCommit(() => (later = db.write([], (tx) => addRole(tx, 1))))
      }),
    ])
    await later
    expect(await db.read((tx) => sqlOf(tx).all('SELECT key FROM answers'))).toEqual([])
    await db.close()
  })
})

describe('a listener that throws', () => {
  it('reaches the boundary for bugs, while the write succeeds and the other listeners are called', () => {
    const program = `
      import { openSqlite } from ${JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)}
      import { systemClock } from ${JSON.stringify(new URL('../kernel/clock.ts', import.meta.url).href)}
      process.on('uncaughtException', (error) => console.log('boundary:', error.message))
      const db = await openSqlite({ path: ':memory:', clock: systemClock, chainKey: new Uint8Array(32) })
      await db.write([], async (tx) => {
        tx.afterCommit(() => { throw new Error('oops') })
        tx.afterCommit(() => console.log('heard'))
      })
      console.log('resolved')
      await db.write([], async () => {})
      console.log('still writing')
    `
    const child = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
    expect(child.stdout.trim().split('\n').sort()).toEqual(['boundary: oops', 'heard', 'resolved', 'still writing'])
    expect(child.status).toBe(0)
  })
})
