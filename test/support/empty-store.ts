import { DatabaseSync } from 'node:sqlite'

import { applyMigrations } from '../../src/db/migrate.ts'
import type { Sql } from '../../src/db/port.ts'

let empty: Promise<Uint8Array> | null = null

/** The contents of a store without rows. Made once per process: the schema takes longer than most simulated runs. */
export function emptyStore(): Promise<Uint8Array> {
  empty ??= makeEmptyStore()
  return empty
}

async function makeEmptyStore(): Promise<Uint8Array> {
  const database = new DatabaseSync(':memory:')
  const sql: Sql = {
    get: async (text, values = []) => database.prepare(text).get(...values) as never,
    all: async (text, values = []) => database.prepare(text).all(...values) as never,
    run: async (text, values = []) => Number(database.prepare(text).run(...values).changes),
  }
  await applyMigrations('sqlite', sql, '2030-01-01T00:00:00.000Z', (text) => database.exec(text))
  const contents = database.serialize()
  database.close()
  return contents
}
