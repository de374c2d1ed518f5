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

/** Rebuilds the tables from the events alone and compares them with what is stored; one stream, or all of them. */
export const replayEvents = (db: Db, tables: readonly AnyTable[], stream?: string): Promise<ReplayResult> =>
  db.read(async (tx) => {
    const rebuilt = new Map<string, Record<string, unknown>>()
    const result: ReplayResult = { rows: 0, events: 0, differences: [] }
    for await (const changes of storedChanges(tx, stream)) {
      result.events++
      for (const stored of changes) apply(rebuilt, stored)
    }
    for (const table of tables) await compare(tx, table, rebuilt, stream, result)
    for (const place of rebuilt.keys()) result.differences.push(`${place}: in the events, not in the store`)
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
  const place = `${table} ${key.join('/')}`
  if (sign === '-') rebuilt.delete(place)
  else rebuilt.set(place, sign === '+' ? columns : { ...rebuilt.get(place), ...columns })
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
    const place = `${table.name} ${order.map((column) => row[column]).join('/')}`
    const expected = rebuilt.get(place)
    rebuilt.delete(place)
    if (expected === undefined) {
      // With one stream only, the rows of the others are simply not rebuilt.
      if (stream === undefined || table.stream(decode(table, row)) === stream)
        result.differences.push(`${place}: in the store, not in the events`)
      continue
    }
    result.rows++
    for (const column of Object.keys(row)) {
      const known = column in expected ? expected[column] : (table.added[column] ?? null)
      if (canonicalJson(row[column] ?? null) !== canonicalJson(known ?? null))
        result.differences.push(
          `${place}: ${column} is ${JSON.stringify(row[column])}, the events say ${JSON.stringify(known ?? null)}`,
        )
    }
  }
}
