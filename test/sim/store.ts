import type { Db } from '../../src/db/port.ts'
import { type Connection, openSqlite } from '../../src/db/sqlite.ts'
import { raiseCounter } from '../../src/db/tx.ts'
import { inserted, record } from '../../src/events/change.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { personas } from '../../src/org/personas/store.ts'
import { seedOrganisation } from '../../src/org/seed.ts'
import { connectEmptyStore } from '../support/empty-store.ts'

const chainKey = new Uint8Array(32).fill(7)

export interface SimStore {
  readonly db: Db
  /** Number of unanswered calls. */
  pending(): number
  /** Number of calls since the store was opened. */
  asked(): number
}

/** Opens the real store in memory, with counters of its calls. A process has one at a time. */
export async function openSimStore(clock: Clock): Promise<SimStore> {
  const connection = await takeConnection(clock)
  const store = await openSqlite({ path: ':memory:', clock, chainKey, connection })
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
      close: async () => {
        await store.close()
        free = connection
      },
    },
    pending: () => pending,
    asked: () => asked,
  }
}

/** The connection of the process while no world uses it; undefined until the first world. */
let free: Connection | null | undefined

/**
 * Returns the connection of the process with the rows that every world begins with. Statements stay prepared from one
 * world to the next, which saves a fifth of a world's time.
 */
async function takeConnection(clock: Clock): Promise<Connection> {
  if (free === null) throw new Error('a process plays one world at a time')
  const kept = free
  free = null
  if (kept !== undefined) return emptied(kept)
  const connection = await connectEmptyStore()
  const store = await openSqlite({ path: ':memory:', clock, chainKey, connection })
  await seedOrganisation(store)
  await seedPeople(store)
  await store.close()
  // Emptying removes events, which nothing else may do: the audit finds a lost one.
  connection.exec('DROP TRIGGER events_stay')
  connection.exec("ATTACH ':memory:' AS seeded")
  for (const table of tablesOf(connection))
    connection.exec(`CREATE TABLE seeded.${copyOf(table)} AS SELECT * FROM main.${table}`)
  return connection
}

/**
 * Replaces all rows by those that every world begins with, including the last number of an event. Foreign keys stay on:
 * SQLite prepares every statement again after such a setting has changed.
 */
function emptied(connection: Connection): Connection {
  const names = tablesOf(connection)
  connection.exec('BEGIN')
  for (const table of names) connection.exec(`DELETE FROM main.${table}`)
  for (const table of names.toReversed())
    connection.exec(`INSERT INTO main.${table} SELECT * FROM seeded.${copyOf(table)}`)
  connection.exec('COMMIT')
  return connection
}

let tables: string[] | undefined

/** Returns all tables, each after those that refer to it. */
function tablesOf({ database }: Connection): string[] {
  if (tables !== undefined) return tables
  const names = database.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table'").all()
  const referring = new Map<string, string[]>(names.map(({ name }) => [String(name), []]))
  for (const name of referring.keys())
    for (const { table } of database.prepare(`PRAGMA foreign_key_list(${name})`).all())
      referring.get(String(table))?.push(name)
  const ordered = new Set<string>()
  const visited = new Set<string>()
  const visit = (name: string): void => {
    if (visited.has(name)) return
    visited.add(name)
    for (const other of referring.get(name) ?? []) visit(other)
    ordered.add(name)
  }
  for (const name of referring.keys()) visit(name)
  return (tables = [...ordered])
}

/** Names that begin with "sqlite_" are reserved. */
const copyOf = (table: string): string => `copy_${table}`

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
