/** A row as the events describe it: columns and values as the store has them, JSON as text. */
export interface RebuiltRow {
  readonly table: string
  readonly key: readonly unknown[]
  readonly columns: Record<string, unknown>
}

/** The rows of one stream, as far as its replay has come. */
export interface RebuiltRows {
  /** Lists the rows of a table. */
  of(table: string): RebuiltRow[]
  /** Adds a row, or replaces it. */
  put(table: string, key: readonly unknown[], columns: Record<string, unknown>): void
  delete(table: string, key: readonly unknown[]): void
}

/** Changes the rows of one stream as a migration changed them. It is called for every stream that has a mark. */
export type Upgrade = (rows: RebuiltRows) => void
