import { readdirSync, readFileSync } from 'node:fs'

import { refusal } from '../kernel/errors.ts'
import { column, integer, optional } from './columns.ts'
import type { Sql } from './port.ts'

/** Beside this file in the source, beside the bundle when installed: the same relative place. */
const folder = new URL('./migrations/', import.meta.url)

export const migrationNumbers = (): number[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sqlite.sql'))
    .map((name) => Number(name.slice(0, 4)))
    .sort((a, b) => a - b)

/** Forward only. A store that a newer Agency has touched is refused, not guessed at. */
export async function applyMigrations(
  kind: 'sqlite' | 'postgres',
  sql: Sql,
  at: string,
  script: (text: string) => Promise<void> | void,
): Promise<void> {
  await sql.run('CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)')
  const current = await checkSchema(sql)
  for (const number of migrationNumbers().filter((each) => each > current)) {
    const name = `${String(number).padStart(4, '0')}.${kind}.sql`
    // One transaction for the schema and its number: a kill between the two would run the script twice.
    await script(
      `BEGIN;\n${readFileSync(new URL(name, folder), 'utf8')}\nINSERT INTO migrations (number, applied_at) VALUES (${number}, '${at}');\nCOMMIT;`,
    )
  }
}

/** The number of the newest migration that the store has had. */
export async function checkSchema(sql: Sql): Promise<number> {
  const applied = await column('newest', optional(integer)).one(sql, 'SELECT MAX(number) AS newest FROM migrations')
  const current = applied ?? 0
  const newest = migrationNumbers().at(-1) ?? 0
  if (current <= newest) return current
  throw refusal('store_unusable', `the store has schema ${current}, this Agency knows up to ${newest}`, {
    hint: 'Install a newer agency-os, or point AGENCY_HOME at another directory.',
    data: { schema: current, known: newest },
  })
}
