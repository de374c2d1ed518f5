import { applyMigrations } from '../../src/db/migrate.ts'
import { type Connection, connectFile } from '../../src/db/sqlite.ts'

let empty: Promise<Uint8Array> | null = null

/**
 * Opens a connection to a store in memory without rows. The schema is made once per process: it takes longer than most
 * simulated runs.
 */
export async function connectEmptyStore(): Promise<Connection> {
  empty ??= makeEmptyStore()
  const connection = connectFile(':memory:', false)
  connection.database.deserialize(await empty)
  return connection
}

async function makeEmptyStore(): Promise<Uint8Array> {
  const { database, sql } = connectFile(':memory:', false)
  await applyMigrations('sqlite', sql, '2030-01-01T00:00:00.000Z', (text) => database.exec(text))
  const contents = database.serialize()
  database.close()
  return contents
}
