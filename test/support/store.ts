import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, onTestFinished } from 'vitest'

import { openStore, type StoreLocation } from '../../src/db/open.ts'
import type { Db, DbOptions } from '../../src/db/port.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { freshStoreDatabase, postgresMissing, runOn } from './postgres.ts'

export interface FreshStore {
  readonly place: StoreLocation
  readonly db: Db
  /** Opens another handle on the same store, as another process or a restarted one would. */
  open(options?: Partial<DbOptions> & { readOnly?: boolean }): Promise<Db>
  /** Runs a script on a connection of its own, bypassing the product. */
  raw(sql: string): Promise<Record<string, unknown>[]>
}

export type OpenFresh = (options?: Partial<DbOptions>) => Promise<FreshStore>

export const testChainKey = new Uint8Array(32).fill(7)

/**
 * Declares the same suite for every store. `AGENCY_TEST_STORE` chooses: `sqlite`, `postgres` or `all`. If it is unset,
 * PostgreSQL is used when it is installed; if PostgreSQL is requested by name, its absence is a failure and not a skip.
 */
export function describeStores(name: string, suite: (openFresh: OpenFresh, kind: 'sqlite' | 'postgres') => void): void {
  if (wanted !== 'postgres')
    describe(`${name}, on SQLite`, () => {
      suite(freshSqlite, 'sqlite')
    })
  describePostgres(`${name}, on PostgreSQL`, (openFresh) => {
    suite(openFresh, 'postgres')
  })
}

/** Declares a suite that needs PostgreSQL. */
export function describePostgres(name: string, suite: (openFresh: typeof freshPostgres) => void): void {
  if (wanted === 'sqlite') return
  const missing = postgresMissing()
  if (missing !== null && wanted !== 'installed') throw new Error(`AGENCY_TEST_STORE=${wanted}: ${missing}`)
  const describeIf = describe.skipIf(missing !== null)
  describeIf(name, () => {
    suite(freshPostgres)
  })
}

const wanted = process.env['AGENCY_TEST_STORE'] ?? 'installed'

/** Opens a store file in a folder of its own, which is removed at the end of the test. */
export function freshSqlite(options: Partial<DbOptions> = {}): Promise<FreshStore & { place: { kind: 'sqlite' } }> {
  return manage({ kind: 'sqlite', path: join(freshFolder(), 'store.db') }, options)
}

async function freshPostgres(options: Partial<DbOptions> = {}): Promise<FreshStore & { place: { kind: 'postgres' } }> {
  return manage({ kind: 'postgres', url: await freshStoreDatabase() }, options)
}

export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agency-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function manage<Place extends StoreLocation>(
  place: Place,
  options: Partial<DbOptions> = {},
): Promise<FreshStore & { place: Place }> {
  const open = async (more: Partial<DbOptions> & { readOnly?: boolean } = {}): Promise<Db> => {
    const merged = { clock: systemClock, chainKey: testChainKey, ...options, ...more }
    // The time of a test is that of its clock, also on the server; a test of the server's own time uses the system clock.
    const serverClock = merged.serverClock ?? (merged.clock === systemClock ? undefined : merged.clock)
    const db = await openStore(place, { ...merged, serverClock })
    onTestFinished(() => db.close())
    return db
  }
  return { place, db: await open(), open, raw: (sql) => rawSql(place, sql) }
}

export async function rawSql(place: StoreLocation, sql: string): Promise<Record<string, unknown>[]> {
  if (place.kind === 'postgres') return runOn(place.url, sql)
  const database = new DatabaseSync(place.path)
  try {
    // Only a single query can be prepared and return rows; a script is several statements.
    if (/^\s*select|^\s*pragma/i.test(sql)) return database.prepare(sql).all()
    database.exec(sql)
    return []
  } finally {
    database.close()
  }
}
