import { expect, it } from 'vitest'

import { describeStores } from '../../test/support/store.ts'
import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import type { Db } from '../db/port.ts'
import { nextCounter, sqlOf } from '../db/tx.ts'
import { auditEvents } from '../events/audit.ts'
import { replayEvents } from '../events/replay.ts'
import { eventTables } from '../tables.ts'
import { seedOrganisation } from './seed.ts'

const rows = (db: Db, sql: string) => db.read((tx) => sqlOf(tx).all(sql))

describeStores('a new installation', (openFresh) => {
  it('has its first organisation', async () => {
    const { db } = await openFresh()
    await seedOrganisation(db)
    expect(await rows(db, 'SELECT id, name, purpose, slug, status FROM organisations')).toEqual([
      {
        id: 1,
        name: 'Development',
        purpose: 'software-development',
        slug: 'software-development-development-1',
        status: 'active',
      },
    ])
  })

  it('has the roles of a development team, of the operator and of Agency itself', async () => {
    const { db } = await openFresh()
    await seedOrganisation(db)
    const roles = await rows(db, 'SELECT name, description FROM roles ORDER BY id')
    expect(roles.map((role) => role['name'])).toEqual(
      expect.arrayContaining(['architect', 'pm', 'developer', 'qa', 'ar-director', 'operator', 'system']),
    )
    expect(roles.every((role) => String(role['description']).length > 10)).toBe(true)
  })

  it('has the operator as persona 1 and the system as persona 2', async () => {
    const { db } = await openFresh()
    await seedOrganisation(db)
    expect(
      await rows(
        db,
        `SELECT p.id, p.name, p.slug, r.name AS role, t.type_key, t.subtype, p.status, p.can_create_channel
FROM personas p JOIN roles r ON r.id = p.role_id JOIN persona_types t ON t.id = p.persona_type_id ORDER BY p.id`,
      ),
    ).toEqual([
      {
        id: 1,
        name: 'Operator',
        slug: 'operator-operator-1',
        role: 'operator',
        type_key: 'person',
        subtype: 'internal',
        status: 'active',
        can_create_channel: 1,
      },
      {
        id: 2,
        name: 'System',
        slug: 'system-system-2',
        role: 'system',
        type_key: 'agent',
        subtype: 'internal',
        status: 'active',
        can_create_channel: 0,
      },
    ])
  })

  it('has the four types of persona', async () => {
    const { db } = await openFresh()
    expect(await rows(db, 'SELECT id, type_key, subtype FROM persona_types ORDER BY id')).toEqual([
      { id: 1, type_key: 'agent', subtype: 'internal' },
      { id: 2, type_key: 'agent', subtype: 'external' },
      { id: 3, type_key: 'person', subtype: 'internal' },
      { id: 4, type_key: 'person', subtype: 'external' },
    ])
  })

  it('continues with the next free id after its seeds', async () => {
    const { db } = await openFresh()
    await seedOrganisation(db)
    const next = await db.write([], async (tx) => [
      await nextCounter(tx, 'organisations'),
      await nextCounter(tx, 'personas'),
      await nextCounter(tx, 'roles'),
    ])
    expect(next).toEqual([2, 3, 8])
  })

  it('is seeded once, however often and by however many processes it is started', async () => {
    const clock = createVirtualClock()
    const { db, open } = await openFresh({ clock })
    await seedOrganisation(db)
    const look = () =>
      Promise.all(
        ['events', 'organisations', 'personas', 'roles', 'counters'].map((table) => rows(db, `SELECT * FROM ${table}`)),
      )
    const before = await look()
    clock.advance(60_000)
    const another = await open()
    await Promise.all([seedOrganisation(db), seedOrganisation(another), seedOrganisation(db)])
    expect(await look()).toEqual(before)
    expect((await auditEvents(db)).findings).toEqual([])
    expect(await replayEvents(db, eventTables)).toMatchObject({ differences: [] })
  })

  it('can start without an organisation, and stays without one at later starts', async () => {
    const { db, open } = await openFresh()
    expect(await seedOrganisation(db, { isEmpty: true })).toBe(true)
    expect(await seedOrganisation(await open())).toBe(false)
    expect(await rows(db, 'SELECT id FROM organisations')).toEqual([])
    expect(await rows(db, 'SELECT id, name FROM roles ORDER BY id')).toEqual([
      { id: 6, name: 'operator' },
      { id: 7, name: 'system' },
    ])
    expect(await rows(db, 'SELECT id FROM personas ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }])
    const next = await db.write([], async (tx) => [
      await nextCounter(tx, 'organisations'),
      await nextCounter(tx, 'roles'),
    ])
    expect(next).toEqual([1, 8])
    expect((await auditEvents(db)).findings).toEqual([])
    expect(await replayEvents(db, eventTables)).toMatchObject({ differences: [] })
  })
})
