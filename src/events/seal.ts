import { hash } from 'node:crypto'

import type { SqlRow, SqlValue } from '../db/port.ts'
import { type AnyTable, saltColumnOf } from '../db/table.ts'
import { bug } from '../kernel/errors.ts'
import { randomToken } from '../kernel/ids.ts'
import { snakeCase } from '../kernel/text.ts'

/**
 * The value that an event has instead of a sealed text. The hash is salted with 160 random bits that only the row has,
 * and that are removed together with the text: a guess, even of a short text, cannot be confirmed without them, not even
 * with the key of the chain. A key would add nothing, and the replay would need it.
 */
type Sealed = { readonly sealed: string } | { readonly forgotten: true }

/**
 * Returns the columns as the event has them, and adds the salt of each sealed column to those that are written to the
 * row. Every write has a salt of its own, so that two equal texts have different hashes.
 */
export function sealColumns(
  table: AnyTable,
  key: readonly SqlValue[],
  columns: SqlRow,
  forgets: boolean,
): Record<string, unknown> {
  if (table.sealed.length === 0) return columns
  const stored: Record<string, unknown> = { ...columns }
  for (const field of table.sealed) {
    const column = snakeCase(field)
    const text = columns[column]
    if (text === undefined) continue
    if (text === null) {
      columns[saltColumnOf(column)] = null
      if (forgets) stored[column] = { forgotten: true } satisfies Sealed
    } else if (typeof text === 'string') {
      const salt = randomToken()
      columns[saltColumnOf(column)] = salt
      stored[column] = { sealed: hashOf(table, key, column, salt, text) } satisfies Sealed
    } else throw bug(`${table.name}.${column} is sealed and is not a text`)
  }
  return stored
}

/** Returns the faults of the sealed columns of a row, without their texts. */
export function sealedDifferences(table: AnyTable, row: SqlRow, expected: Record<string, unknown>): string[] {
  const key = table.keyColumns.map((column) => row[column] as SqlValue)
  return table.sealed.flatMap((field) => {
    const column = snakeCase(field)
    const found = differenceOf(table, key, column, row, expected[column] ?? table.added[column] ?? null)
    return found === null ? [] : [found]
  })
}

function differenceOf(
  table: AnyTable,
  key: readonly SqlValue[],
  column: string,
  row: SqlRow,
  known: unknown,
): string | null {
  const text = row[column] ?? null
  const salt = row[saltColumnOf(column)] ?? null
  if (isForgotten(known) && text !== null) return `${column} has a text in the store and is forgotten in the events`
  if (known === null && text !== null) return `${column} has a text in the store and none in the events`
  if (text === null) {
    if (known !== null && !isForgotten(known)) return `${column} has no text in the store and has one in the events`
    return salt === null ? null : `${column} has no text in the store, and the salt of one`
  }
  // A text that is older than the seal of its column is in the events itself.
  const isSame = isSealed(known)
    ? typeof salt === 'string' && known.sealed === hashOf(table, key, column, salt, String(text))
    : known === text
  return isSame ? null : `${column} is another text in the store than in the events`
}

const isForgotten = (value: unknown): boolean => typeof value === 'object' && value !== null && 'forgotten' in value
const isSealed = (value: unknown): value is { readonly sealed: string } =>
  typeof value === 'object' && value !== null && 'sealed' in value

/** The hash is bound to its place, so that the text and the salt of another row do not fit. */
const hashOf = (table: AnyTable, key: readonly SqlValue[], column: string, salt: string, text: string): string =>
  hash('sha256', `${JSON.stringify(['sealed', table.name, key, column, salt])}\n${text}`, 'base64url')
