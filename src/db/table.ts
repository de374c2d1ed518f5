import { cachedSql } from './cached-sql.ts'
import { bug } from '../kernel/errors.ts'
import { camelCase, snakeCase } from '../kernel/text.ts'
import type { ReadTx, SqlRow, SqlValue, Stream } from './port.ts'
import type { CachedRow } from './row-cache.ts'
import { openTx, sqlOf } from './tx.ts'

/**
 * Description of a table whose rows are changed by events: how a row is converted to a camelCase object and back,
 * and the stream that its changes belong to. A row belongs to exactly one stream, so that replaying streams in any
 * order rebuilds it.
 */
export interface Table<Row extends object> {
  readonly name: string
  readonly key: readonly (keyof Row & string)[]
  readonly keyColumns: readonly string[]
  readonly json: ReadonlySet<string>
  readonly booleans: ReadonlySet<string>
  /** Fields whose text no event has, only its hash; a row can be made to forget them. */
  readonly sealed: readonly (keyof Row & string)[]
  readonly saltColumns: ReadonlySet<string>
  /** No row of another table refers to a row of this one. */
  readonly isLeaf: boolean
  /** Values that later added columns have in rows older than the column. */
  readonly added: SqlRow
  readonly stream: (row: Row) => Stream
  /** The fields that have been converted so far, by name and by column. */
  readonly fields: Map<string, Field>
  readonly fieldsByColumn: Map<string, Field>
}

// A list of tables of different rows has no common row type; code that iterates over it works on raw rows.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTable = Table<any>

export function table<Row extends object>(
  name: string,
  options: {
    key?: readonly (keyof Row & string)[]
    json?: readonly (keyof Row & string)[]
    booleans?: readonly (keyof Row & string)[]
    /**
     * Fields of plain text that is kept in the row alone. Each needs two nullable columns, its own and one for its salt:
     * `content` and `content_salt`.
     */
    sealed?: readonly (keyof Row & string)[]
    isLeaf?: boolean
    added?: SqlRow
    stream: (row: Row) => Stream
  },
): Table<Row> {
  const key = options.key ?? (['id'] as unknown as (keyof Row & string)[])
  const sealed = options.sealed ?? []
  for (const field of sealed)
    if (key.includes(field) || options.json?.includes(field) === true || options.booleans?.includes(field) === true)
      throw bug(`${name}.${field} cannot be sealed: only plain text outside the key can`)
  return {
    name,
    key,
    keyColumns: key.map(snakeCase),
    json: new Set(options.json),
    booleans: new Set(options.booleans),
    sealed,
    saltColumns: new Set(sealed.map((field) => saltColumnOf(snakeCase(field)))),
    isLeaf: options.isLeaf ?? false,
    added: options.added ?? {},
    stream: options.stream,
    fields: new Map(),
    fieldsByColumn: new Map(),
  }
}

export const saltColumnOf = (column: string): string => `${column}_salt`

export const keyOf = <Row extends object>(table: Table<Row>, row: Row): SqlValue[] =>
  table.key.map((name) => row[name] as SqlValue)

/** Converts camelCase values to column values for the driver; leaves out `undefined`. */
export function encode<Row extends object>(table: Table<Row>, values: Partial<Row>): SqlRow {
  const row: SqlRow = {}
  for (const name in values) {
    const value = values[name] as unknown
    if (value === undefined) continue
    const { column, kind } = fieldOf(table, name)
    row[column] = encodeValue(table, name, kind, value)
  }
  return row
}

function encodeValue(table: AnyTable, name: string, kind: Field['kind'], value: unknown): SqlValue {
  if (value === null) return null
  if (kind === 'json') return JSON.stringify(value)
  if (typeof value === 'string') return storable(value)
  if (kind === 'boolean') return value === true ? 1 : 0
  if (typeof value === 'number' && (Number.isSafeInteger(value) || (Number.isFinite(value) && value % 1 !== 0)))
    return value
  throw bug(
    `${table.name}.${name} is ${typeof value === 'number' ? value : typeof value}, which a store cannot keep unchanged`,
  )
}

/**
 * Replaces characters that a store cannot keep. Half a surrogate pair is read back as another character, so hashes and
 * replay would find a change that never happened; PostgreSQL rejects the zero character. Agents' texts contain both.
 */
export const storable = (text: string): string =>
  text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\uFFFD')

export function decode<Row extends object>(table: Table<Row>, row: SqlRow): Row {
  const values: Record<string, unknown> = {}
  for (const column in row) {
    const { name, kind } = fieldOfColumn(table, column)
    const value = row[column] as SqlValue
    if (kind === 'salt') continue
    if (kind === 'plain' || value === null) values[name] = value
    else if (kind === 'json') values[name] = typeof value === 'string' ? JSON.parse(value) : value
    else values[name] = value === 1
  }
  return values as Row
}

/** Deletes a row at once, because the store may change rows that refer to it; a row of a leaf is deleted with the others. */
export async function deleteRow<Row extends object>(
  tx: ReadTx,
  table: Table<Row>,
  key: readonly SqlValue[],
): Promise<void> {
  if (table.isLeaf) return openTx(tx).rows.delete(table, key)
  await sqlOf(tx).run(`DELETE FROM ${table.name} WHERE ${whereKey(table)}`, key)
}

export async function findRow<Row extends object>(
  tx: ReadTx,
  table: Table<Row>,
  ...key: SqlValue[]
): Promise<Row | undefined> {
  const text = cachedSql(`?${table.name}`, () => `SELECT * FROM ${table.name} WHERE ${whereKey(table)}`)
  const found = await openTx(tx).group.findRow(table, key, text)
  return found === undefined ? undefined : decodeOnce(table, found)
}

/** Returns the rows of these keys of a table with one key column, in no particular order. */
export async function findRowsByKey<Row extends object>(
  tx: ReadTx,
  table: Table<Row>,
  keys: readonly SqlValue[],
): Promise<Row[]> {
  const textFor = (count: number): string =>
    cachedSql(
      `?${table.name}*${count}`,
      () => `SELECT * FROM ${table.name} WHERE ${table.keyColumns[0]} IN (${Array(count).fill('?').join(', ')})`,
    )
  const found = await openTx(tx).group.findRowsByKey(table, new Set(keys), textFor)
  return found.map((each) => decodeOnce(table, each))
}

/** Converts a row that is read many times only once; callers do not change the object. */
function decodeOnce<Row extends object>(table: Table<Row>, cached: CachedRow): Row {
  if (cached.decoded === null) cached.decoded = decode(table, cached.row)
  else if (cached.changed !== null) cached.decoded = { ...cached.decoded, ...decode(table, cached.changed) }
  cached.changed = null
  return cached.decoded as Row
}

/** Returns some fields of a row, where the others are not needed. */
export async function findFields<Row extends object, Name extends keyof Row & string>(
  tx: ReadTx,
  table: Table<Row>,
  names: readonly Name[],
  ...key: SqlValue[]
): Promise<Pick<Row, Name> | undefined> {
  const text = cachedSql(
    `?${table.name}:${names.join()}`,
    () =>
      `SELECT ${names.map((name) => fieldOf(table, name).column).join(', ')} FROM ${table.name} WHERE ${whereKey(table)}`,
  )
  const row = await openTx(tx).group.findColumns(table, key, text)
  if (row === undefined) return undefined
  const picked: SqlRow = {}
  for (const name of names) {
    const { column } = fieldOf(table, name)
    picked[column] = row[column] as SqlValue
  }
  return decode(table, picked)
}

/**
 * Returns the rows that match `where`, the SQL after WHERE with order and limit, about this table only:
 * `findRows(tx, briefs, 'run_id = ? ORDER BY created_at, id', [runId])`. With `matches`, pending rows that do not match
 * are not flushed first.
 */
export async function findRows<Row extends object>(
  tx: ReadTx,
  table: Table<Row>,
  where: string,
  values: readonly SqlValue[] = [],
  matches?: (columns: SqlRow) => boolean,
): Promise<Row[]> {
  const { group } = openTx(tx)
  const text = cachedSql(`?${table.name} ${where}`, () => `SELECT * FROM ${table.name} WHERE ${where}`)
  const rows = await (group.rows.has(table.name, matches) ? group.rowSql : group.direct).all(text, values)
  return rows.map((row) => decode(table, row))
}

const whereKey = <Row extends object>(table: Table<Row>): string =>
  table.keyColumns.map((column) => `${column} = ?`).join(' AND ')

/** How a field is called in the store, and how its values are converted. */
interface Field {
  readonly name: string
  readonly column: string
  /** A salt belongs to the store, and is no field of the row that the code reads. */
  readonly kind: 'plain' | 'json' | 'boolean' | 'salt'
}

function fieldOf(table: AnyTable, name: string): Field {
  let field = table.fields.get(name)
  if (field === undefined) {
    field = { name, column: snakeCase(name), kind: kindOf(table, name) }
    table.fields.set(name, field)
  }
  return field
}

function fieldOfColumn(table: AnyTable, column: string): Field {
  let field = table.fieldsByColumn.get(column)
  if (field === undefined) {
    const name = camelCase(column)
    field = { name, column, kind: table.saltColumns.has(column) ? 'salt' : kindOf(table, name) }
    table.fieldsByColumn.set(column, field)
  }
  return field
}

const kindOf = (table: AnyTable, name: string): Field['kind'] =>
  table.json.has(name) ? 'json' : table.booleans.has(name) ? 'boolean' : 'plain'
