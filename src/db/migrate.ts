import { readdirSync, readFileSync } from 'node:fs'

import { refusal } from '../kernel/errors.ts'
import { column, integer, optional } from './columns.ts'
import type { Sql } from './port.ts'

/** The folder is beside this file in the source and beside the bundle when installed: the relative path is the same. */
const folder = new URL('./migrations/', import.meta.url)

export const migrationNumbers = (): number[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sqlite.sql'))
    .map((name) => Number(name.slice(0, 4)))
    .sort((a, b) => a - b)

/** Applies missing migrations, forward only. A store that a newer Agency has migrated is refused. */
export async function applyMigrations(
  kind: 'sqlite' | 'postgres',
  sql: Sql,
  at: string,
  script: (text: string) => Promise<void> | void,
  before?: () => Promise<void>,
): Promise<void> {
  await sql.run('CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)')
  const current = await checkSchema(sql)
  const missing = migrationNumbers().filter((each) => each > current)
  if (current > 0 && missing.length > 0) await before?.()
  for (const number of missing) {
    const name = `${String(number).padStart(4, '0')}.${kind}.sql`
    // One transaction for the schema and its number: after a kill between the two the script would run twice.
    await script(
      `BEGIN;\n${readFileSync(new URL(name, folder), 'utf8')}\nINSERT INTO migrations (number, applied_at) VALUES (${number}, '${at}');\nCOMMIT;`,
    )
  }
}

/** Returns the number of the newest migration applied to the store. */
export async function checkSchema(sql: Sql): Promise<number> {
  const applied = await column('newest', optional(integer)).one(sql, 'SELECT MAX(number) AS newest FROM migrations')
  const current = applied ?? 0
  const newest = migrationNumbers().at(-1) ?? 0
  if (current <= newest) return current
  throw refusal(
    'store_unusable',
    `the store has schema ${current}; this version of Agency supports schemas up to ${newest}`,
    {
      hint: 'Install a newer version of agency-os, or set AGENCY_HOME to another directory.',
      data: { schema: current, known: newest },
    },
  )
}
