import type { DatabaseSync } from 'node:sqlite'

import { runOn } from './postgres.ts'

/**
 * A table described in terms that both stores share; lists are sorted, so that order does not matter in comparisons.
 */
export interface TableShape {
  columns: Record<string, string>
  primaryKey: string[]
  unique: string[]
  indexes: string[]
  foreignKeys: string[]
}
export type Schema = Record<string, TableShape>

type Row = Record<string, unknown>

export function sqliteSchema(database: DatabaseSync): Schema {
  const all = (sql: string, ...values: string[]): Row[] => database.prepare(sql).all(...values) as Row[]
  const schema: Schema = {}
  for (const { name } of all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")) {
    const table = String(name)
    const shape = emptyShape()
    const keys: [number, string][] = []
    for (const column of all('SELECT * FROM pragma_table_info(?)', table)) {
      const isKey = Number(column['pk']) > 0
      shape.columns[String(column['name'])] = `${column['type']}${column['notnull'] === 1 || isKey ? '' : ' or null'}`
      if (isKey) keys.push([Number(column['pk']), String(column['name'])])
    }
    shape.primaryKey = keys.sort(([a], [b]) => a - b).map(([, column]) => column)
    for (const index of all('SELECT * FROM pragma_index_list(?)', table)) {
      if (index['origin'] === 'pk') continue
      const columns = all('SELECT name FROM pragma_index_info(?) ORDER BY seqno', String(index['name']))
      const [made] = all('SELECT sql FROM sqlite_schema WHERE name = ?', String(index['name']))
      const where = /\bWHERE\b([\s\S]*)$/i.exec(String(made?.['sql'] ?? ''))?.[1] ?? null
      const list = index['unique'] === 1 ? shape.unique : shape.indexes
      list.push(
        indexText(
          columns.map((column) => String(column['name'])),
          where,
        ),
      )
    }
    for (const key of all('SELECT * FROM pragma_foreign_key_list(?)', table))
      shape.foreignKeys.push(
        `${key['from']} → ${key['table']}.${key['to']} on delete ${String(key['on_delete']).toLowerCase()}`,
      )
    schema[table] = sorted(shape)
  }
  return schema
}

export async function postgresSchema(url: string): Promise<Schema> {
  const schema: Schema = {}
  const shapeOf = (row: Row): TableShape => (schema[String(row['table'])] ??= emptyShape())
  const columns = await runOn(
    url,
    `SELECT table_name AS "table", column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable, collation_name AS collation
     FROM information_schema.columns WHERE table_schema = 'public'`,
  )
  for (const column of columns) shapeOf(column).columns[String(column['name'])] = columnText(column)
  const indexes = await runOn(
    url,
    `SELECT c.relname AS "table", i.indisprimary AS "primary", i.indisunique AS "unique",
       pg_get_expr(i.indpred, i.indrelid) AS "where",
       ARRAY(SELECT a.attname::text FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
         JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number ORDER BY k.place) AS columns
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public'`,
  )
  for (const index of indexes) {
    const shape = shapeOf(index)
    const names = index['columns'] as string[]
    if (index['primary'] === true) shape.primaryKey = names
    else
      (index['unique'] === true ? shape.unique : shape.indexes).push(indexText(names, index['where'] as string | null))
  }
  const keys = await runOn(
    url,
    `SELECT c.conrelid::regclass::text AS "table", a.attname AS "from", c.confrelid::regclass::text AS target, b.attname AS "to",
       CASE c.confdeltype WHEN 'a' THEN 'no action' WHEN 'n' THEN 'set null' WHEN 'c' THEN 'cascade' WHEN 'r' THEN 'restrict' END AS action
     FROM pg_constraint c CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS k ("from", "to")
     JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k."from"
     JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k."to"
     WHERE c.contype = 'f'`,
  )
  for (const key of keys)
    shapeOf(key).foreignKeys.push(`${key['from']} → ${key['target']}.${key['to']} on delete ${key['action']}`)
  return Object.fromEntries(Object.entries(schema).map(([name, shape]) => [name, sorted(shape)]))
}

const emptyShape = (): TableShape => ({ columns: {}, primaryKey: [], unique: [], indexes: [], foreignKeys: [] })

const sorted = (shape: TableShape): TableShape => ({
  ...shape,
  unique: shape.unique.sort(),
  indexes: shape.indexes.sort(),
  foreignKeys: shape.foreignKeys.sort(),
})

const types: Record<string, string> = {
  text: 'TEXT',
  bigint: 'INTEGER',
  integer: 'INTEGER',
  'double precision': 'REAL',
}

function columnText(column: Row): string {
  const type = types[String(column['type'])] ?? `unknown type ${String(column['type'])}`
  // Without "C" the server's locale decides the order of texts, and the two stores would sort differently.
  const collation = type === 'TEXT' && column['collation'] !== 'C' ? ' without COLLATE "C"' : ''
  return `${type}${collation}${column['nullable'] === true ? ' or null' : ''}`
}

/** Normalises conditions: PostgreSQL prints them with parentheses, casts, and `= ANY (ARRAY[…])` for `IN (…)`. */
function indexText(columns: string[], where: string | null): string {
  if (where === null) return columns.join(', ')
  const plain = where
    .replaceAll(/::[a-z]+(\[\])?/g, '')
    .replaceAll(/= ANY \(\(?ARRAY\[([^\]]*)\]\)?\)/g, 'IN ($1)')
    .replaceAll(/[()\s]+/g, ' ')
    .replaceAll(' ,', ',')
  return `${columns.join(', ')} where ${plain.trim()}`
}
