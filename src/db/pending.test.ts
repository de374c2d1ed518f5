import { describe, expect, it } from 'vitest'

import { describeStores, freshSqlite } from '../../test/support/store.ts'
import type { NewEvent } from '../events/append.ts'
import { auditEvents } from '../events/audit.ts'
import { change, create, deleted, inserted, record, updated } from '../events/change.ts'
import { replayEvents } from '../events/replay.ts'
import { findFields, findRow, findRows, table } from './table.ts'
import { sqlOf } from './tx.ts'

interface Role {
  id: number
  name: string
  description: string
}

const roles = table<Role>('roles', { stream: () => 'org:1' })
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
