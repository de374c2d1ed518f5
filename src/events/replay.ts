import { column, columns, integer, json, text } from '../db/columns.ts'
import type { Db, ReadTx } from '../db/port.ts'
import { type AnyTable, decode } from '../db/table.ts'
import { sqlOf } from '../db/tx.ts'
import { canonicalJson } from '../kernel/json.ts'
import { snakeCase } from '../kernel/text.ts'
import type { StoredChange } from './change.ts'

export interface ReplayResult {
  rows: number
  events: number
  differences: string[]
}

/** Rebuilds the rows of one stream, or of all, from the events alone and compares them with the stored rows. */
export const replayEvents = (db: Db, tables: readonly AnyTable[], stream?: string): Promise<ReplayResult> =>
  db.read(async (tx) => {
    const rebuilt = new Map<string, Record<string, unknown>>()
    const result: ReplayResult = { rows: 0, events: 0, differences: [] }
    for await (const changes of storedChanges(tx, stream)) {
      result.events++
      for (const stored of changes) apply(rebuilt, stored)
    }
    for (const table of tables) await compare(tx, table, rebuilt, stream, result)
    for (const name of rebuilt.keys()) result.differences.push(`${name}: in the events, not in the store`)
    return result
  })

async function* storedChanges(tx: ReadTx, stream: string | undefined): AsyncGenerator<StoredChange[]> {
  const streams =
    stream === undefined
      ? await column('stream', text).all(sqlOf(tx), 'SELECT stream FROM streams ORDER BY stream')
      : [stream]
  for (const each of streams) {
    let seq = 0
    for (;;) {
      const rows = await changesOfEvents.all(
        sqlOf(tx),
        'SELECT seq, changes FROM events WHERE stream = ? AND seq > ? ORDER BY seq LIMIT 1000',
        [each, seq],
      )
      for (const row of rows) {
        seq = row.seq
        yield row.changes
      }
      if (rows.length < 1000) break
    }
  }
}

const changesOfEvents = columns({ seq: integer, changes: json<StoredChange[]>() })

function apply(rebuilt: Map<string, Record<string, unknown>>, [sign, table, key, columns]: StoredChange): void {
  const name = `${table} ${key.join('/')}`
  if (sign === '-') rebuilt.delete(name)
  else rebuilt.set(name, sign === '+' ? columns : { ...rebuilt.get(name), ...columns })
}

async function compare(
  tx: ReadTx,
  table: AnyTable,
  rebuilt: Map<string, Record<string, unknown>>,
  stream: string | undefined,
  result: ReplayResult,
): Promise<void> {
  const order = table.key.map(snakeCase)
  const rows = await sqlOf(tx).all(`SELECT * FROM ${table.name} ORDER BY ${order.join(', ')}`)
  for (const row of rows) {
    const name = `${table.name} ${order.map((column) => row[column]).join('/')}`
    const expected = rebuilt.get(name)
    rebuilt.delete(name)
    if (expected === undefined) {
      // When one stream is replayed, the rows of the others are not rebuilt.
      if (stream === undefined || table.stream(decode(table, row)) === stream)
        result.differences.push(`${name}: in the store, not in the events`)
      continue
    }
    result.rows++
    for (const column of Object.keys(row)) {
      const known = column in expected ? expected[column] : (table.added[column] ?? null)
      if (canonicalJson(row[column] ?? null) !== canonicalJson(known ?? null))
        result.differences.push(
          `${name}: ${column} is ${JSON.stringify(row[column])} in the store, ${JSON.stringify(known ?? null)} in the events`,
        )
    }
  }
}
