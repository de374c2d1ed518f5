import { expect, it } from 'vitest'

import { describeStores } from '../../test/support/store.ts'
import type { Db } from '../db/port.ts'
import { table } from '../db/table.ts'
import type { NewEvent } from './append.ts'
import { change, create, deleted, inserted, record, updated } from './change.ts'
import { replayEvents } from './replay.ts'
import type { Upgrade } from './upgrade.ts'

interface Role {
  id: number
  name: string
  description: string
}
interface Worker {
  id: string
  boot: number
  host: string
  pid: number
  startedAt: string
  heartbeatAt: string
}

const roles = table<Role>('roles', { stream: () => 'org:1' })
const workers = table<Worker>('workers', { stream: () => 'system', added: { home: '', fingerprint: '' } })
const event: NewEvent = { kind: 'org_changed', by: 'operator', message: 'changed' }
const worker: Worker = { id: 'w1', boot: 1, host: 'here', pid: 1, startedAt: 'then', heartbeatAt: 'then' }

async function fill(db: Db): Promise<void> {
  await db.write(['org:1', 'system'], async (tx) => {
    const lead = await create(tx, roles, { id: 1, name: 'lead', description: '' }, event)
    await change(tx, roles, lead, { description: 'speaks for all' }, event)
    const rows = [2, 3, 4].map((id) => ({ id, name: `role ${id}`, description: '\0 and 😀'.slice(0, -1) }))
    await record(
      tx,
      event,
      rows.map((row) => inserted(roles, row)),
    )
    await record(tx, event, [deleted(roles, rows[1] as Role), updated(roles, rows[2] as Role, { name: 'fourth' })])
    await create(tx, workers, worker, event)
  })
}

describeStores('the replay', (openFresh) => {
  it('rebuilds the stored rows from the events alone', async () => {
    const { db } = await openFresh()
    await fill(db)
    expect(await replayEvents(db, [roles, workers])).toEqual({ rows: 4, events: 5, differences: [] })
  })

  it('rebuilds one stream and ignores the others', async () => {
    const { db } = await openFresh()
    await fill(db)
    expect(await replayEvents(db, [roles, workers], 'system')).toEqual({ rows: 1, events: 1, differences: [] })
  })

  it('finds a row that was altered without an event', async () => {
    const { db, raw } = await openFresh()
    await fill(db)
    await raw("UPDATE roles SET description = 'obeys nobody' WHERE id = 1")
    expect((await replayEvents(db, [roles, workers])).differences).toEqual([
      'roles 1: description is "obeys nobody" in the store, "speaks for all" in the events',
    ])
  })

  it('finds a row that no event created', async () => {
    const { db, raw } = await openFresh()
    await fill(db)
    await raw("INSERT INTO roles (id, name, description) VALUES (9, 'nobody asked', '')")
    expect((await replayEvents(db, [roles, workers])).differences).toEqual(['roles 9: in the store, not in the events'])
    expect((await replayEvents(db, [roles, workers], 'system')).differences).toEqual([])
  })

  it('finds a row that is missing', async () => {
    const { db, raw } = await openFresh()
    await fill(db)
    await raw('DELETE FROM roles WHERE id = 2')
    expect((await replayEvents(db, [roles, workers])).differences).toEqual(['roles 2: in the events, not in the store'])
  })

  it('finds a row that was restored after it was deleted', async () => {
    const { db, raw } = await openFresh()
    await fill(db)
    await raw("INSERT INTO roles (id, name, description) VALUES (3, 'role 3', '')")
    expect((await replayEvents(db, [roles, workers])).differences).toEqual(['roles 3: in the store, not in the events'])
  })
})

describeStores('the replay of a stream that a migration has marked', (openFresh) => {
  /** The effect of an invented migration 90. */
  const upgrades = new Map<number, Upgrade>([
    [
      90,
      (rows) => {
        for (const { key, columns } of rows.of('roles'))
          if (columns['id'] === 4) {
            rows.delete('roles', key)
            rows.put('roles', [5], { id: 5, name: 'fifth', description: '' })
          } else rows.put('roles', key, { ...columns, description: 'moved' })
      },
    ],
  ])
  const migrate = [
    "UPDATE roles SET description = 'moved'",
    'DELETE FROM roles WHERE id = 4',
    "INSERT INTO roles (id, name, description) VALUES (5, 'fifth', '')",
    'INSERT INTO schema_marks (version, stream, seq) SELECT 90, stream, seq FROM streams',
  ]

  it('changes the rows of older events as the migration did, and not those of newer events', async () => {
    const { db, raw } = await openFresh()
    await fill(db)
    for (const statement of migrate) await raw(statement)
    await db.write(['org:1'], async (tx) => {
      await record(tx, event, [deleted(roles, { id: 5, name: 'fifth', description: '' })])
      await record(tx, event, [updated(roles, { id: 1, name: 'lead', description: 'moved' }, { description: 'later' })])
      await create(tx, roles, { id: 6, name: 'sixth', description: 'of today' }, event)
    })
    expect((await replayEvents(db, [roles, workers], undefined, upgrades)).differences).toEqual([])
    expect((await replayEvents(db, [roles, workers], 'org:1', upgrades)).differences).toEqual([])
    expect((await replayEvents(db, [roles, workers])).differences).not.toEqual([])
  })

  it('upgrades a stream without newer events too', async () => {
    const { db, raw } = await openFresh()
    await fill(db)
    for (const statement of migrate) await raw(statement)
    expect((await replayEvents(db, [roles, workers], undefined, upgrades)).differences).toEqual([])
  })
})

describeStores('a change', (openFresh) => {
  it('returns the changed row', async () => {
    const { db } = await openFresh()
    const now = await db.write(['org:1'], async (tx) => {
      const role = await create(tx, roles, { id: 1, name: 'lead', description: '' }, event)
      return change(tx, roles, role, { name: 'chief' }, event)
    })
    expect(now).toEqual({ id: 1, name: 'chief', description: '' })
  })

  it('of a row that does not exist is a bug, and nothing is written', async () => {
    const { db } = await openFresh()
    const ghost = { id: 7, name: 'ghost', description: '' }
    const writing = db.write(['org:1'], (tx) => change(tx, roles, ghost, { name: 'boo' }, event))
    await expect(writing).rejects.toMatchObject({ code: 'bug' })
    expect(await replayEvents(db, [roles])).toEqual({ rows: 0, events: 0, differences: [] })
  })

  it('of no row, or of rows of two streams, is a bug', async () => {
    const { db } = await openFresh()
    await expect(db.write(['org:1'], (tx) => record(tx, event, []))).rejects.toMatchObject({ code: 'bug' })
    const both = db.write(['org:1', 'system'], (tx) =>
      record(tx, event, [inserted(workers, worker), inserted(roles, { id: 1, name: 'lead', description: '' })]),
    )
    await expect(both).rejects.toThrow('belongs to "org:1", not to "system"')
  })

  it.each([NaN, Infinity, 2 ** 60])('refuses the number %s, which would be read back as another', async (id) => {
    const { db } = await openFresh()
    const writing = db.write(['org:1'], (tx) => create(tx, roles, { id, name: 'x', description: '' }, event))
    await expect(writing).rejects.toMatchObject({ code: 'bug' })
  })
})
