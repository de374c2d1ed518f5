import { describe, expect, it } from 'vitest'

import { describeStores, freshSqlite } from '../../test/support/store.ts'
import type { NewEvent } from '../events/append.ts'
import { auditEvents } from '../events/audit.ts'
import { change, create, deleted, inserted, record, updated } from '../events/change.ts'
import { replayEvents } from '../events/replay.ts'
import type { Db, ReadTx } from './port.ts'
import { findFields, findRow, findRows, findRowsByKey, table } from './table.ts'
import { sqlOf } from './tx.ts'

interface Role {
  id: number
  name: string
  description: string
}

const roles = table<Role>('roles', { stream: () => 'org:1' })
const leaves = table<Role>('roles', { stream: () => 'org:1', isLeaf: true })
const event: NewEvent = { kind: 'org_changed', by: 'operator', message: 'changed' }
const role = (id: number, name: string): Role => ({ id, name, description: '' })

describeStores('pending rows of a transaction', (openFresh) => {
  it('are visible to every query of the transaction', async () => {
    const { db } = await openFresh()
    await db.write(['org:1'], async (tx) => {
      const sql = sqlOf(tx)
      await create(tx, roles, role(1, 'one'), event)
      expect(await findRow(tx, roles, 1)).toEqual(role(1, 'one'))
      await change(tx, roles, role(1, 'one'), { name: 'two' }, event)
      expect(await findRow(tx, roles, 1)).toEqual(role(1, 'two'))
      expect(await findFields(tx, roles, ['name'], 1)).toEqual({ name: 'two' })
      expect(await findRows(tx, roles, 'name = ?', ['two'])).toEqual([role(1, 'two')])
      await create(tx, roles, role(2, 'three'), event)
      // Created before any row was pending.
      expect(await sql.get('SELECT COUNT(*) AS count FROM roles')).toEqual({ count: 2 })
    })
  })

  it('are found by their keys together with those that are written', async () => {
    const { db } = await openFresh()
    await db.write(['org:1'], (tx) =>
      record(tx, event, [inserted(roles, role(1, 'a')), inserted(roles, role(2, 'b')), inserted(roles, role(3, 'c'))]),
    )
    const byId = async (tx: ReadTx, ...ids: number[]): Promise<string[]> =>
      (await findRowsByKey(tx, roles, ids)).map(({ id, name }) => `${id} ${name}`).sort()
    await db.write(['org:1'], async (tx) => {
      await change(tx, roles, role(2, 'b'), { name: 'changed' }, event)
      await create(tx, roles, role(4, 'new'), event)
      await record(tx, event, [deleted(leaves, role(3, 'c'))])
      expect(await byId(tx, 1, 2, 2, 3, 4, 5)).toEqual(['1 a', '2 changed', '4 new'])
      await change(tx, roles, role(1, 'a'), { name: 'later' }, event)
      expect(await byId(tx, 1, 4)).toEqual(['1 later', '4 new'])
    })
    expect(await db.read((tx) => byId(tx, 4, 1, 3))).toEqual(['1 later', '4 new'])
    expect(await db.read((tx) => byId(tx))).toEqual([])
  })

  it('are written once each, no matter how often they change', async () => {
    const { db } = await openFresh()
    await db.write(['org:1'], (tx) => create(tx, roles, role(1, 'one'), event))
    const steps = async (count: number): Promise<number> => {
      const before = db.statements()
      await db.write(['org:1'], async (tx) => {
        for (let index = 0; index < count; index++)
          await change(tx, roles, role(1, ''), { name: `${count} ${index}` }, event)
      })
      return db.statements() - before
    }
    expect(await steps(4)).toBe(await steps(1))
  })

  it('keep an insert after the update that freed its unique value', async () => {
    const { db } = await openFresh()
    await db.write(['org:1'], async (tx) => {
      await create(tx, roles, role(1, 'lead'), event)
      await change(tx, roles, role(1, 'lead'), { name: 'former lead' }, event)
      await create(tx, roles, role(2, 'lead'), event)
      await change(tx, roles, role(1, 'former lead'), { description: 'advises 2' }, event)
    })
    expect(await db.read((tx) => findRows(tx, roles, '1 = 1 ORDER BY id'))).toEqual([
      { id: 1, name: 'former lead', description: 'advises 2' },
      role(2, 'lead'),
    ])
    expect((await replayEvents(db, [roles])).differences).toEqual([])
  })

  it('are inserted and deleted in the order of one record', async () => {
    const { db } = await openFresh()
    await db.write(['org:1'], async (tx) => {
      await record(tx, event, [inserted(roles, role(1, 'a')), inserted(roles, role(2, 'b'))])
      await record(tx, event, [
        deleted(roles, role(1, 'a')),
        inserted(roles, role(3, 'a')),
        updated(roles, role(2, 'b'), { name: 'c' }),
      ])
    })
    expect(await db.read((tx) => findRows(tx, roles, '1 = 1 ORDER BY id'))).toEqual([role(2, 'c'), role(3, 'a')])
  })

  it('of a leaf are deleted with the others, before a change that takes their place', async () => {
    const { db } = await openFresh()
    await db.write(['org:1'], (tx) =>
      record(tx, event, [
        inserted(leaves, role(1, 'a')),
        inserted(leaves, role(2, 'b')),
        inserted(leaves, role(3, 'c')),
      ]),
    )
    await db.write(['org:1'], async (tx) => {
      expect(await findRow(tx, leaves, 1)).toEqual(role(1, 'a'))
      const before = db.statements()
      await record(tx, event, [
        deleted(leaves, role(1, 'a')),
        inserted(leaves, role(1, 'd')),
        deleted(leaves, role(2, 'b')),
        updated(leaves, role(3, 'c'), { name: 'b' }),
      ])
      expect(db.statements()).toBe(before)
      await record(tx, event, [deleted(leaves, role(1, 'd'))])
      expect(await findRow(tx, leaves, 1)).toBeUndefined()
    })
    expect(await db.read((tx) => findRows(tx, leaves, '1 = 1 ORDER BY id'))).toEqual([role(3, 'b')])
    expect((await replayEvents(db, [leaves])).differences).toEqual([])
    const twice = db.write(['org:1'], (tx) => record(tx, event, [deleted(leaves, role(1, 'd'))]))
    await expect(twice).rejects.toThrow('removed 0 rows')
  })

  it('fail the transaction when they cannot be written, even if the error is ignored', async () => {
    const { db } = await openFresh()
    await db.write(['org:1'], (tx) => create(tx, roles, role(1, 'taken'), event))
    const atTheEnd = db.write(['org:1'], (tx) => create(tx, roles, role(2, 'taken'), event))
    await expect(atTheEnd).rejects.toThrow(/unique/i)
    const swallowed = db.write(['org:1'], async (tx) => {
      await create(tx, roles, role(2, 'taken'), event)
      await findRow(tx, roles, 2).catch(() => {})
    })
    await expect(swallowed).rejects.toThrow(/unique|aborted/i)
    expect(await auditEvents(db)).toEqual({ streams: 1, events: 1, findings: [] })
    expect((await replayEvents(db, [roles])).differences).toEqual([])
  })
})

describe('rows of transactions that are committed together, on SQLite', () => {
  it('are visible to later transactions of the batch and written once', async () => {
    const { db } = await freshSqlite()
    await db.write(['org:1'], (tx) => create(tx, roles, role(1, '0'), event))
    const before = db.statements()
    await Promise.all(
      [1, 2, 3].map((count) =>
        db.write(['org:1'], async (tx) => {
          const found = (await findRow(tx, roles, 1)) as Role
          await change(tx, roles, found, { name: `${found.name} ${count}` }, event)
        }),
      ),
    )
    // BEGIN, one read (row), three writes (row, stream, events), COMMIT.
    expect(db.statements() - before).toBe(6)
    expect(await db.read((tx) => findRow(tx, roles, 1))).toEqual(role(1, '0 1 2 3'))
    expect((await replayEvents(db, [roles])).differences).toEqual([])
  })

  it('fail only the transaction whose rows cannot be written', async () => {
    const { db } = await freshSqlite()
    const add = (id: number, name: string): Promise<Role> =>
      db.write(['org:1'], (tx) => create(tx, roles, role(id, name), event))
    const results = await Promise.allSettled([add(1, 'a'), add(2, 'a'), add(3, 'c')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await db.read((tx) => findRows(tx, roles, '1 = 1 ORDER BY id'))).toEqual([role(1, 'a'), role(3, 'c')])
    expect(await auditEvents(db)).toEqual({ streams: 1, events: 2, findings: [] })
    expect((await replayEvents(db, [roles])).differences).toEqual([])
  })

  it('are read again after a statement changed them directly', async () => {
    const { db } = await freshSqlite()
    await db.write(['org:1'], async (tx) => {
      await create(tx, roles, role(1, 'one'), event)
      expect(await findRow(tx, roles, 1)).toEqual(role(1, 'one'))
      await sqlOf(tx).run("UPDATE roles SET name = 'another'")
      expect(await findRow(tx, roles, 1)).toEqual(role(1, 'another'))
      await record(tx, event, [deleted(roles, role(1, 'another'))])
      expect(await findRow(tx, roles, 1)).toBeUndefined()
    })
  })
})

describe('rows that SQLite’s only writer knows', () => {
  const add = (db: Db, ...added: Role[]): Promise<unknown> =>
    db.write(['org:1'], (tx) =>
      record(
        tx,
        event,
        added.map((each) => inserted(roles, each)),
      ),
    )
  const nameOf = (db: Db, id: number): Promise<string | undefined> =>
    db.write(['org:1'], async (tx) => (await findRow(tx, roles, id))?.name)
  /** Returns the number of statements beside BEGIN and COMMIT. */
  async function statementsOf(db: Db, work: () => Promise<unknown>): Promise<number> {
    const before = db.statements()
    await work()
    return db.statements() - before - 2
  }

  it('are read once, and not in later batches', async () => {
    const { db } = await freshSqlite()
    await add(db, role(1, 'one'))
    expect(await statementsOf(db, () => nameOf(db, 1))).toBe(1)
    expect(await statementsOf(db, () => nameOf(db, 1))).toBe(0)
    // With the columns of the table known, a new row need not be read.
    await add(db, role(2, 'two'))
    expect(await statementsOf(db, () => nameOf(db, 2))).toBe(0)
    await db.write(['org:1'], (tx) => change(tx, roles, role(2, 'two'), { name: 'second' }, event))
    expect(await statementsOf(db, () => nameOf(db, 2))).toBe(0)
    expect(await nameOf(db, 2)).toBe('second')
    const fields = db.write([], (tx) => findFields(tx, roles, ['name'], 2))
    expect(await fields).toEqual({ name: 'second' })
  })

  it('are forgotten with the transaction that changed them and failed', async () => {
    const { db } = await freshSqlite()
    await add(db, role(1, 'one'), role(2, 'two'))
    await nameOf(db, 1)
    const failing = db.write(['org:1'], async (tx) => {
      await change(tx, roles, role(1, 'one'), { name: 'never' }, event)
      await create(tx, roles, role(3, 'never'), event)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect([await nameOf(db, 1), await nameOf(db, 3)]).toEqual(['one', undefined])
    await expect(add(db, role(4, 'two'))).rejects.toThrow(/unique/i)
    expect(await nameOf(db, 4)).toBeUndefined()
  })

  it('are forgotten when a statement changes rows directly', async () => {
    const { db } = await freshSqlite()
    await add(db, role(1, 'one'))
    await nameOf(db, 1)
    await db.write([], (tx) => sqlOf(tx).run("UPDATE roles SET name = 'another'"))
    expect(await nameOf(db, 1)).toBe('another')
    await db.write(['org:1'], (tx) => record(tx, event, [deleted(roles, role(1, 'another'))]))
    expect(await nameOf(db, 1)).toBeUndefined()
  })

  it('are few and small', async () => {
    const { db } = await freshSqlite()
    await add(db, role(1, 'one'), { ...role(2, 'two'), description: 'x'.repeat(10_000) })
    await nameOf(db, 1)
    await nameOf(db, 2)
    expect(await statementsOf(db, () => nameOf(db, 2))).toBe(1)
    await db.write(['org:1'], (tx) => change(tx, roles, role(1, 'one'), { description: 'x'.repeat(10_000) }, event))
    expect(await statementsOf(db, () => nameOf(db, 1))).toBe(1)
    await add(db, ...Array.from({ length: 4_001 }, (_, index) => role(index + 10, `role ${index}`)))
    expect(await statementsOf(db, () => nameOf(db, 10))).toBe(1)
    expect(await statementsOf(db, () => nameOf(db, 4_010))).toBe(0)
  })
})
