import type { SqlRow, SqlValue } from './port.ts'

/** The table properties that identify a row. */
interface Target {
  readonly name: string
}

/** With more rows, the older half is not kept for the next batch; they are read again when they are needed. */
const maxRows = 4_000
/** A row with a longer text is kept for its batch only, to bound the memory. */
const maxText = 2_048

/** A row with its pending changes. */
export interface CachedRow {
  readonly row: SqlRow
  /** The row as the code reads it, as far as it has been converted; `changed` has the columns that changed since. */
  decoded: object | null
  changed: SqlRow | null
}

/**
 * Rows as the next query of the sole writer of a store would find them: those that it has read, and those that it has
 * inserted with every column. A batch that fails leaves rows behind that were never committed, so its owner clears it.
 */
export class RowCache {
  #rows = new Map<string, CachedRow>()
  #large = new Set<string>()
  /** Names of all columns of a table, in their order, known once a row of it was read. */
  #columns = new Map<string, readonly string[]>()

  get(target: Target, key: readonly SqlValue[]): CachedRow | undefined {
    return this.#rows.size === 0 ? undefined : this.#rows.get(rowIdOf(target, key))
  }

  addRead(target: Target, key: readonly SqlValue[], row: SqlRow): CachedRow {
    if (!this.#columns.has(target.name)) this.#columns.set(target.name, Object.keys(row))
    return this.#add(rowIdOf(target, key), row, isLarge(row))
  }

  addInserted(target: Target, key: readonly SqlValue[], values: SqlRow): void {
    const columns = this.#columns.get(target.name)
    if (columns === undefined) return
    const row: SqlRow = {}
    let large = false
    for (const column of columns) {
      const value = values[column]
      // The store fills in a default.
      if (value === undefined) return
      large ||= isLargeText(value)
      row[column] = value
    }
    this.#add(rowIdOf(target, key), row, large)
  }

  update(rowId: string, values: SqlRow): void {
    const cached = this.#rows.get(rowId)
    if (cached === undefined) return
    Object.assign(cached.row, values)
    if (cached.decoded !== null) cached.changed = cached.changed === null ? values : { ...cached.changed, ...values }
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
    for (const rowId of this.#large) this.#rows.delete(rowId)
    this.#large.clear()
    if (this.#rows.size <= maxRows) return
    for (const rowId of this.#rows.keys()) {
      this.#rows.delete(rowId)
      if (this.#rows.size <= maxRows / 2) return
    }
  }

  #add(rowId: string, row: SqlRow, large: boolean): CachedRow {
    const cached: CachedRow = { row, decoded: null, changed: null }
    this.#rows.set(rowId, cached)
    if (large) this.#large.add(rowId)
    return cached
  }
}

export const rowIdOf = ({ name }: Target, key: readonly SqlValue[]): string =>
  key.length === 1 ? `${name}\n${key[0]}` : `${name}\n${key.join('\n')}`

function isLarge(values: SqlRow): boolean {
  for (const column in values) if (isLargeText(values[column])) return true
  return false
}

const isLargeText = (value: SqlValue | undefined): boolean => typeof value === 'string' && value.length > maxText
