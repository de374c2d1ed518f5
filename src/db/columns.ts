import { bug } from '../kernel/errors.ts'
import { snakeCase } from '../kernel/text.ts'
import type { Sql, SqlRow, SqlValue } from './port.ts'

/** Converts the value of a column; returns undefined for a value that is not of the column's type. */
export type Column<T> = (value: unknown) => T | undefined

/** Runs a query and returns its rows converted and checked. */
export interface Columns<Row> {
  all(sql: Sql, text: string, values?: readonly SqlValue[]): Promise<Row[]>
  first(sql: Sql, text: string, values?: readonly SqlValue[]): Promise<Row | undefined>
  /** For a query that always returns a row, such as a count. */
  one(sql: Sql, text: string, values?: readonly SqlValue[]): Promise<Row>
  /** For a query that returns rows of more than one kind. */
  read(this: void, row: SqlRow): Row
}

export const text: Column<string> = (value) => (typeof value === 'string' ? value : undefined)

/** Text of a narrower type that only the code that writes the column guarantees; see `oneOf` for a checked one. */
export const textOf = <T extends string>(): Column<T> => text as Column<T>

export const oneOf =
  <const T extends string>(options: readonly T[]): Column<T> =>
  (value) =>
    options.includes(value as T) ? (value as T) : undefined

/** PostgreSQL may return a count or a sum as a bigint. */
export const integer: Column<number> = (value) =>
  typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : undefined

/**
 * SQLite has no booleans: a comparison is 0 or 1 there, true or false in PostgreSQL; our own columns are integers in
 * both.
 */
export const flag: Column<boolean> = (value) =>
  value === 1 || value === true ? true : value === 0 || value === false ? false : undefined

/** JSON whose type only the code that writes the column guarantees. */
export const json =
  <T>(): Column<T> =>
  (value) =>
    typeof value === 'string' ? (JSON.parse(value) as T) : undefined

export const optional =
  <T>(column: Column<T>): Column<T | null> =>
  (value) =>
    value === null ? null : column(value)

/**
 * Describes the rows of a query once: `columns({ runId: text, tier: optional(text) })` reads `run_id` and `tier`.
 * A value of another type, or a column that the query does not select, is a bug and throws.
 */
export function columns<Shape extends Record<string, Column<unknown>>>(
  shape: Shape,
): Columns<{ [Name in keyof Shape]: Shape[Name] extends Column<infer T> ? T : never }> {
  const names = Object.keys(shape)
  const fields = names.map((name) => ({ name, column: snakeCase(name), convert: shape[name] as Column<unknown> }))
  return querying((row) => {
    const read: Record<string, unknown> = {}
    for (const { name, column, convert } of fields) read[name] = valueOf(row, column, convert)
    return read as { [Name in keyof Shape]: Shape[Name] extends Column<infer T> ? T : never }
  })
}

/** Reads one column by its name in the query and returns its values. */
export const column = <T>(name: string, convert: Column<T>): Columns<T> =>
  querying((row) => valueOf(row, name, convert))

const counts = column('count', integer)
/** Runs a `SELECT COUNT(*) AS count …`. */
export const countRows = (sql: Sql, text: string, values?: readonly SqlValue[]): Promise<number> =>
  counts.one(sql, text, values)

function querying<Row>(read: (row: SqlRow) => Row): Columns<Row> {
  return {
    read,
    all: async (sql, text, values) => (await sql.all(text, values)).map(read),
    async first(sql, text, values) {
      const row = await sql.get(text, values)
      return row === undefined ? undefined : read(row)
    },
    async one(sql, text, values) {
      const row = await sql.get(text, values)
      if (row === undefined) throw bug(`no row from "${text}"`)
      return read(row)
    },
  }
}

function valueOf<T>(row: SqlRow, column: string, convert: Column<T>): T {
  const value = convert(row[column])
  if (value === undefined) throw bug(`the column "${column}" is ${JSON.stringify(row[column])}`)
  return value
}
