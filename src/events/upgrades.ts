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

/**
 * By number of the migration: the change that a migration made to rows that older events describe. Such a migration
 * marks the last event before it in every stream:
 * `INSERT INTO schema_marks (version, stream, seq) SELECT 8, stream, seq FROM streams;`
 * A column that was only added or dropped needs no upgrade: `added` of its table has the value of older rows.
 */
export const upgrades: ReadonlyMap<number, Upgrade> = new Map([[9, orderClaims]])

/** A run and its briefs have a place in the order of claims. */
function orderClaims(rows: RebuiltRows): void {
  for (const run of rows.of('runs')) {
    const claimOrder = `2:${String(run.columns['started_at'])}:${String(run.key[0])}`
    for (const row of [run, ...rows.of('briefs')])
      rows.put(row.table, row.key, { ...row.columns, claim_order: claimOrder })
  }
}
