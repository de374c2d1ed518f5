import type { StoredChange } from './change.ts'
import type { RebuiltRow, RebuiltRows } from './upgrade.ts'

export const rowName = (table: string, key: readonly unknown[]): string => `${table} ${key.join('/')}`

/** Collects the rows that the changes of events describe. */
export function createRebuiltRows(): RebuiltRows & {
  apply(change: StoredChange): void
  entries(): Iterable<[name: string, columns: Record<string, unknown>]>
} {
  const rows = new Map<string, RebuiltRow>()
  const put: RebuiltRows['put'] = (table, key, columns) => void rows.set(rowName(table, key), { table, key, columns })
  return {
    put,
    of: (table) => [...rows.values()].filter((row) => row.table === table),
    delete: (table, key) => void rows.delete(rowName(table, key)),
    apply([sign, table, key, columns]) {
      const name = rowName(table, key)
      if (sign === '-') rows.delete(name)
      else put(table, key, sign === '+' ? columns : { ...rows.get(name)?.columns, ...columns })
    },
    *entries() {
      for (const [name, { columns }] of rows) yield [name, columns]
    },
  }
}
