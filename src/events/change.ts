import type { Stream, Tx } from '../db/port.ts'
import { type AnyTable, deleteRow, encode, keyOf, type Table } from '../db/table.ts'
import { openTx } from '../db/tx.ts'
import { bug } from '../kernel/errors.ts'
import { addEvent, type NewEvent } from './append.ts'
import { hideSealed } from './hide-sealed.ts'
import { sealColumns } from './seal.ts'

/**
 * A row change as the event stores it: sign, table, key, and the columns that it set, of sealed ones only the hash.
 * Replaying these rebuilds the tables, because nothing else writes to them.
 */
export type StoredChange = ['+' | '=' | '-', table: string, key: unknown[], columns: Record<string, unknown>]

export interface Change {
  readonly sign: '+' | '=' | '-'
  readonly table: AnyTable
  readonly row: object
  readonly patch: object
  /** The sealed fields of the patch are forgotten, and not merely empty. */
  readonly forgets?: true
}

export const inserted = <Row extends object>(table: Table<Row>, row: Row): Change => ({
  sign: '+',
  table,
  row,
  patch: row,
})
export const updated = <Row extends object>(table: Table<Row>, row: Row, patch: Partial<Row>): Change => ({
  sign: '=',
  table,
  row,
  patch,
})
export const deleted = <Row extends object>(table: Table<Row>, row: Row): Change => ({
  sign: '-',
  table,
  row,
  patch: {},
})

/** Records one event and every row that it changes, together or not at all. */
export async function record(tx: Tx, event: NewEvent, changes: readonly Change[]): Promise<number> {
  const first = changes[0]
  if (first === undefined) throw bug(`the event "${event.kind}" changes no row; append it to a stream instead`)
  const stream: Stream = first.table.stream(first.row)
  const { rows } = openTx(tx)
  const stored: StoredChange[] = []
  for (const change of changes) {
    const { table, row } = change
    if (table.stream(row) !== stream) throw bug(`${table.name} belongs to "${table.stream(row)}", not to "${stream}"`)
    const columns = encode(table, change.patch)
    const key = keyOf(table, row)
    const storedColumns = sealColumns(table, key, columns, change.forgets === true)
    if (change.sign === '+') rows.insert(table, key, columns)
    else if (change.sign === '=') rows.update(table, key, columns)
    else await deleteRow(tx, table, key)
    stored.push([change.sign, table.name, key, storedColumns])
  }
  return addEvent(tx, stream, hideSealed(event, changes), JSON.stringify(stored))
}

/**
 * Updates a row and records the event in one call, so that no state change lacks its event. Returns the changed row.
 */
export async function change<Row extends object>(
  tx: Tx,
  table: Table<Row>,
  row: Row,
  patch: Partial<Row>,
  event: NewEvent,
): Promise<Row> {
  await record(tx, event, [updated(table, row, patch)])
  return { ...row, ...patch }
}

export async function create<Row extends object>(tx: Tx, table: Table<Row>, row: Row, event: NewEvent): Promise<Row> {
  await record(tx, event, [inserted(table, row)])
  return row
}
