import type { SqlRow, SqlValue } from './port.ts'

/** The table properties that identify a row. */
interface Target {
  readonly name: string
}

/** More rows are not kept between two batches; they are read again when they are needed. */
const maxRows = 1_000
/** A row with a longer text is kept for its batch only, to bound the memory. */
const maxText = 8_192

/**
 * Rows as the next query of the sole writer of a store would find them: those that it has read, and those that it has
 * inserted with every column. A batch that fails leaves rows behind that were never committed, so its owner clears it.
 */
export class RowCache {
  #rows = new Map<string, SqlRow>()
  #large = new Set<string>()
  /** Names of all columns of a table, in their order, known once a row of it was read. */
  #columns = new Map<string, readonly string[]>()

  get(target: Target, key: readonly SqlValue[]): SqlRow | undefined {
    return this.#rows.size === 0 ? undefined : this.#rows.get(rowIdOf(target, key))
  }

  addRead(target: Target, key: readonly SqlValue[], row: SqlRow): void {
    if (!this.#columns.has(target.name)) this.#columns.set(target.name, Object.keys(row))
    this.#add(rowIdOf(target, key), row)
  }

  addInserted(target: Target, key: readonly SqlValue[], values: SqlRow): void {
    const columns = this.#columns.get(target.name)
    if (columns === undefined) return
    const row: SqlRow = {}
    for (const column of columns) {
      const value = values[column]
      // The store fills in a default.
      if (value === undefined) return
      row[column] = value
    }
    this.#add(rowIdOf(target, key), row)
  }

  update(rowId: string, values: SqlRow): void {
    const row = this.#rows.get(rowId)
    if (row === undefined) return
    Object.assign(row, values)
    if (isLarge(values)) this.#large.add(rowId)
  }

  delete(rowId: string): void {
    this.#rows.delete(rowId)
    this.#large.delete(rowId)
  }

  clear(): void {
    this.#rows.clear()
    this.#large.clear()
  }

  /** Drops the rows that are not kept between two batches. */
  trim(): void {
    if (this.#rows.size > maxRows) return this.clear()
    for (const rowId of this.#large) this.#rows.delete(rowId)
    this.#large.clear()
  }

  #add(rowId: string, row: SqlRow): void {
    this.#rows.set(rowId, row)
    if (isLarge(row)) this.#large.add(rowId)
  }
}

export const rowIdOf = ({ name }: Target, key: readonly SqlValue[]): string =>
  key.length === 1 ? `${name}\n${key[0]}` : `${name}\n${key.join('\n')}`

function isLarge(values: SqlRow): boolean {
  for (const column in values) {
    const value = values[column]
    if (typeof value === 'string' && value.length > maxText) return true
  }
  return false
}
