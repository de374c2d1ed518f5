import type { Db } from '../../src/db/port.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { raiseCounter } from '../../src/db/tx.ts'
import { inserted, record } from '../../src/events/change.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { personas } from '../../src/org/personas/store.ts'
import { seedOrganisation } from '../../src/org/seed.ts'
import { emptyStore } from '../support/empty-store.ts'

const chainKey = new Uint8Array(32).fill(7)

export interface SimStore {
  readonly db: Db
  /** Number of unanswered calls. */
  pending(): number
  /** Number of calls since the store was opened. */
  asked(): number
}

/** Opens the real store in memory, with counters of its calls. */
export async function openSimStore(clock: Clock): Promise<SimStore> {
  const store = await openSqlite({ path: ':memory:', clock, chainKey, contents: await emptyStore() })
  await seedOrganisation(store)
  await seedPeople(store)
  let pending = 0
  let asked = 0
  const counted = async <T>(ask: () => Promise<T>): Promise<T> => {
    pending++
    asked++
    try {
      return await ask()
    } finally {
      pending--
    }
  }
  return {
    db: {
      ...store,
      write: (streams, work) => counted(() => store.write(streams, work)),
      read: (work) => counted(() => store.read(work)),
    },
    pending: () => pending,
    asked: () => asked,
  }
}

/** Two people who may decide beside the operator, and two agents. */
export const people = ['ada', 'bob'] as const
export const workers = ['cleo', 'dora'] as const

const seedPeople = (db: Db): Promise<void> =>
  db.write(['system'], async (tx) => {
    const all = [...people, ...workers].map((name, index) => ({
      id: index + 3,
      name,
      slug: name,
      roleId: 3,
      personaTypeId: index < people.length ? (3 as const) : (1 as const),
      status: 'active' as const,
      canCreateChannel: false,
      origin: 'seed' as const,
      createdAt: tx.at,
      updatedAt: tx.at,
    }))
    await record(
      tx,
      { kind: 'org_changed', by: 'operator', message: 'people' },
      all.map((persona) => inserted(personas, persona)),
    )
    await raiseCounter(tx, 'personas', 2 + all.length)
  })
