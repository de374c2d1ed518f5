import { cachedSql } from './cached-sql.ts'
import { bug } from '../kernel/errors.ts'
import { mentions } from './mentions.ts'
import type { Sql, SqlRow, SqlValue } from './port.ts'
import { type RowCache, rowIdOf } from './row-cache.ts'

/** The table properties that a pending write needs. */
export interface Target {
  readonly name: string
  /** Column names. */
  readonly keyColumns: readonly string[]
}

interface Update {
  target: Target
  key: readonly SqlValue[]
  columns: SqlRow
}

/** More rows per statement gain nothing, and fewer different lengths mean fewer prepared statements. */
const rowsPerInsert = 16

interface Phase {
  inserts: { target: Target; columns: SqlRow }[]
  updates: Map<string, Update>
  updatedTables: Set<string>
  deletes: Map<string, { target: Target; key: readonly SqlValue[] }>
}

const newPhase = (): Phase => ({ inserts: [], updates: new Map(), updatedTables: new Set(), deletes: new Map() })

/**
 * Row changes that are committed together, flushed before a query that may read them or at the end: a brief that passes
 * through four states in one transaction is updated once, and rows of one table are inserted together. Inserts are
 * written first, in their order, so that an update never refers to a row that does not exist yet; but never before an
 * earlier update or delete in the same table, which may have freed a value of a unique index: such an insert starts a
 * new phase. Deletes come last, and any later change starts a new phase.
 */
export class PendingRows {
  #phases: Phase[] = []
  #tables = new Set<string>()
  #rowIds = new Set<string>()
  /** Whole rows with their pending changes; null where another writer may change them meanwhile. */
  readonly cache: RowCache | null
  #failure: { error: unknown } | null = null

  constructor(cache: RowCache | null) {
    this.cache = cache
  }

  get isEmpty(): boolean {
    return this.#tables.size === 0
  }

  /** Reports whether a row of the table is pending that matches; of an update only the columns it sets are known. */
  has(table: string, matches?: (columns: SqlRow) => boolean): boolean {
    if (!this.#tables.has(table)) return false
    if (matches === undefined) return true
    return this.#phases.some(
      ({ inserts, updates, deletes }) =>
        [...deletes.values()].some(({ target }) => target.name === table) ||
        inserts.some(({ target, columns }) => target.name === table && matches(columns)) ||
        [...updates.values()].some(({ target, columns }) => target.name === table && matches(columns)),
    )
  }

  /** Reports whether the statement may read a table that has pending rows. */
  isMentioned(text: string): boolean {
    for (const table of this.#tables) if (mentions(text, table)) return true
    return false
  }

  hasRow(target: Target, key: readonly SqlValue[]): boolean {
    return this.#tables.has(target.name) && this.#rowIds.has(rowIdOf(target, key))
  }

  insert(target: Target, key: readonly SqlValue[], columns: SqlRow): void {
    this.#tables.add(target.name)
    this.#rowIds.add(rowIdOf(target, key))
    this.cache?.addInserted(target, key, columns)
    const last = this.#open()
    const phase = last.updatedTables.has(target.name) ? this.#begin() : last
    phase.inserts.push({ target, columns })
  }

  update(target: Target, key: readonly SqlValue[], columns: SqlRow): void {
    const rowId = rowIdOf(target, key)
    this.#tables.add(target.name)
    this.#rowIds.add(rowId)
    this.cache?.update(rowId, columns)
    const phase = this.#open()
    phase.updatedTables.add(target.name)
    const waiting = phase.updates.get(rowId)
    if (waiting === undefined) phase.updates.set(rowId, { target, key, columns: { ...columns } })
    else Object.assign(waiting.columns, columns)
  }

  /** Deletes a row to which no other row refers, so that the store changes no further row with it. */
  delete(target: Target, key: readonly SqlValue[]): void {
    const rowId = rowIdOf(target, key)
    this.#tables.add(target.name)
    this.#rowIds.add(rowId)
    this.cache?.delete(rowId)
    const phase = this.#phases.at(-1) ?? this.#begin()
    phase.deletes.set(rowId, { target, key })
  }

  async flush(sql: Sql): Promise<void> {
    const phases = this.#phases
    this.#phases = []
    this.#tables.clear()
    this.#rowIds.clear()
    try {
      for (const { inserts, updates, deletes } of phases) {
        await insertAll(sql, inserts)
        for (const update of updates.values()) await runUpdate(sql, update)
        for (const { target, key } of deletes.values()) await runDelete(sql, target, key)
      }
    } catch (error) {
      this.#failure ??= { error }
      throw error
    }
  }

  /**
   * Fails the transaction after a failed flush, even if the code whose query flushed ignored the error: its events
   * would be kept.
   */
  throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error
  }

  /** Returns the phase for a further change. */
  #open(): Phase {
    const last = this.#phases.at(-1)
    return last === undefined || last.deletes.size > 0 ? this.#begin() : last
  }

  #begin(): Phase {
    const phase = newPhase()
    this.#phases.push(phase)
    return phase
  }
}

async function insertAll(sql: Sql, inserts: readonly { target: Target; columns: SqlRow }[]): Promise<void> {
  for (let from = 0; from < inserts.length;) {
    const first = inserts[from] as (typeof inserts)[number]
    const names = Object.keys(first.columns)
    const values = Object.values(first.columns)
    let to = from + 1
    for (; to < inserts.length && to - from < rowsPerInsert; to++) {
      const next = inserts[to] as (typeof inserts)[number]
      if (next.target.name !== first.target.name || !sameNames(names, next.columns)) break
      for (const name of names) values.push(next.columns[name] as SqlValue)
    }
    await sql.run(insertText(first.target.name, names.join(', '), names.length, to - from), values)
    from = to
  }
}

function sameNames(names: readonly string[], columns: SqlRow): boolean {
  let index = 0
  for (const name in columns) if (names[index++] !== name) return false
  return index === names.length
}

async function runUpdate(sql: Sql, { target, key, columns }: Update): Promise<void> {
  const names = Object.keys(columns)
  if (names.length === 0) return
  const text = cachedSql(`=${target.name}:${names.join()}`, () => {
    const set = names.map((column) => `${column} = ?`).join(', ')
    return `UPDATE ${target.name} SET ${set} WHERE ${target.keyColumns.map((column) => `${column} = ?`).join(' AND ')}`
  })
  const changed = await sql.run(text, [...Object.values(columns), ...key])
  if (changed !== 1) throw bug(`an update of ${target.name} ${key.join('/')} changed ${changed} rows`)
}

export const insertText = (table: string, columns: string, width: number, rows: number): string =>
  cachedSql(`+${rows}:${table}:${columns}`, () => {
    const row = `(${Array(width).fill('?').join(', ')})`
    return `INSERT INTO ${table} (${columns}) VALUES ${Array(rows).fill(row).join(', ')}`
  })

async function runDelete(sql: Sql, target: Target, key: readonly SqlValue[]): Promise<void> {
  const text = cachedSql(
    `-${target.name}`,
    () => `DELETE FROM ${target.name} WHERE ${target.keyColumns.map((column) => `${column} = ?`).join(' AND ')}`,
  )
  const changed = await sql.run(text, key)
  if (changed !== 1) throw bug(`a delete of ${target.name} ${key.join('/')} removed ${changed} rows`)
}
