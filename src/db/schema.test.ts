import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

import { describe, expect, it, onTestFinished } from 'vitest'

import { postgresSchema, sqliteSchema } from '../../test/support/schema.ts'
import { describePostgres, describeStores, freshFolder, freshSqlite, testChainKey } from '../../test/support/store.ts'
import { auditEvents } from '../events/audit.ts'
import { newestSeq } from '../events/store.ts'
import { systemClock } from '../kernel/clock.ts'
import { migrationNumbers } from './migrate.ts'
import type { Db } from './port.ts'
import { openSqlite } from './sqlite.ts'
import { nextCounter, sqlOf } from './tx.ts'

const folder = fileURLToPath(new URL('./migrations/', import.meta.url))
const newest = migrationNumbers().at(-1) as number

describeStores('a schema', (openFresh) => {
  it('gets every migration once, and none again when it is opened later', async () => {
    const { db, open } = await openFresh()
    const applied = 'SELECT number, applied_at FROM migrations ORDER BY number'
    const before = await db.read((tx) => sqlOf(tx).all(applied))
    expect(before.map((row) => row['number'])).toEqual(migrationNumbers())
    const again = await open()
    expect(await again.read((tx) => sqlOf(tx).all(applied))).toEqual(before)
  })

  it('of a newer Agency is refused, also read-only, and stays unchanged', async () => {
    const { raw, open } = await openFresh()
    await raw(`INSERT INTO migrations (number, applied_at) VALUES (${newest + 1}, 'tomorrow')`)
    const refused = {
      code: 'store_unusable',
      message: `the store has schema ${newest + 1}; this version of Agency supports schemas up to ${newest}`,
    }
    await expect(open()).rejects.toMatchObject(refused)
    await expect(open({ readOnly: true })).rejects.toMatchObject(refused)
    expect(await raw('SELECT MAX(number) AS number FROM migrations')).toEqual([{ number: newest + 1 }])
  })
})

describePostgres('both schemas', (openFresh) => {
  it('have the same tables, columns, keys and indexes', async () => {
    const sqlite = await freshSqlite()
    const postgres = await openFresh()
    const database = new DatabaseSync(sqlite.place.path)
    onTestFinished(() => database.close())
    const fromSqlite = sqliteSchema(database)
    expect(Object.keys(fromSqlite).length).toBeGreaterThan(15)
    expect(withoutMigrations(await postgresSchema(postgres.place.url))).toEqual(withoutMigrations(fromSqlite))
  })
})

describe('the migration files', () => {
  it('exist in pairs without a gap', () => {
    const names = migrationNumbers().map((number) => String(number).padStart(4, '0'))
    expect(migrationNumbers()).toEqual(names.map((_, index) => index + 1))
    const expected = names.flatMap((name) => [`${name}.postgres.sql`, `${name}.sqlite.sql`])
    expect(readdirSync(folder).sort()).toEqual(expected)
  })

  it.each(migrationNumbers())('of number %i differ only in the names of types', (number) => {
    const name = String(number).padStart(4, '0')
    const sqlite = readFileSync(join(folder, `${name}.sqlite.sql`), 'utf8')
    const postgres = readFileSync(join(folder, `${name}.postgres.sql`), 'utf8')
    expect(statements(postgres)).toEqual(statements(sqlite))
  })
})

describe('a store of an earlier release', () => {
  const fixtures = fileURLToPath(new URL('../../test/fixtures/', import.meta.url))
  const stores = readdirSync(fixtures).filter((name) => /^store-\d{4}\.db$/.test(name))

  const openCopy = async (name: string): Promise<Db> => {
    const path = join(freshFolder(), 'store.db')
    copyFileSync(join(fixtures, name), path)
    const db = await openSqlite({ path, clock: systemClock, chainKey: testChainKey })
    onTestFinished(() => db.close())
    return db
  }

  it('is available for the first schema, with its counters and answers', async () => {
    const db = await openCopy('store-0001.db')
    expect(await auditEvents(db)).toEqual({ streams: 2, events: 3, findings: [] })
    expect(await db.write([], (tx) => nextCounter(tx, 'roles'))).toBe(2)
    const repeated = db.once('a key', 'a digest', () => db.write(['system'], (tx) => newestSeq(tx, 'nothing')))
    expect(await repeated).toBe(1)
  })

  it.each(stores)('opens, is intact, and can be written: %s', async (name) => {
    const db = await openCopy(name)
    expect((await auditEvents(db)).findings).toEqual([])
    expect(await db.read((tx) => sqlOf(tx).get('SELECT MAX(number) AS number FROM migrations'))).toEqual({
      number: newest,
    })
    expect(await db.write([], (tx) => nextCounter(tx, 'a new counter'))).toBe(1)
  })

  it.each(stores)(
    'has the schema that its migrations still create: a released migration is never edited (%s)',
    (name) => {
      const number = Number(/\d{4}/.exec(name)?.[0])
      const made = new DatabaseSync(':memory:')
      made.exec('CREATE TABLE migrations (number INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)')
      for (const each of migrationNumbers().filter((one) => one <= number))
        made.exec(readFileSync(join(folder, `${String(each).padStart(4, '0')}.sqlite.sql`), 'utf8'))
      const kept = new DatabaseSync(join(fixtures, name), { readOnly: true })
      onTestFinished(() => [made, kept].forEach((database) => database.close()))
      expect(sqliteSchema(kept)).toEqual(sqliteSchema(made))
    },
  )
})

const withoutMigrations = <T extends { migrations?: unknown }>({ migrations: _, ...rest }: T): Omit<T, 'migrations'> =>
  rest

/**
 * Returns the statements for tables, indexes and rows without necessary differences: what one store only needs is marked,
 * and its result is compared with the other schema. Triggers are compared by their own tests.
 */
function statements(text: string): string[] {
  return text
    .replaceAll(/^-- only \w+\n[\s\S]*?^-- end$/gm, '')
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/CREATE FUNCTION[\s\S]*?\$\$;|CREATE TRIGGER[\s\S]*?(?:END;|EXECUTE FUNCTION[^;]*;)/g, '')
    .replaceAll(/ COLLATE "C"| STRICT/g, '')
    .replaceAll('BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', 'INTEGER PRIMARY KEY AUTOINCREMENT')
    .replaceAll('BIGINT', 'INTEGER')
    .replaceAll('DOUBLE PRECISION', 'REAL')
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')
}
