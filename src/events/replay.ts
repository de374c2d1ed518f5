import { column, columns, integer, text } from '../db/columns.ts'
import type { Db, ReadTx } from '../db/port.ts'
import { type AnyTable, decode } from '../db/table.ts'
import { sqlOf } from '../db/tx.ts'
import { canonicalJson } from '../kernel/json.ts'
import { snakeCase } from '../kernel/text.ts'
import { createRebuiltRows, rowName } from './rebuilt-rows.ts'
import { sealedDifferences } from './seal.ts'
import { storedChanges } from './stored-changes.ts'
import type { Upgrade } from './upgrade.ts'
import { upgrades } from './upgrades.ts'

export interface ReplayResult {
  rows: number
  events: number
  differences: string[]
}

/**
 * Rebuilds the rows of one stream, or of all, from the events alone and compares them with the stored rows. Rows that a
 * migration has changed are changed in the same way when the replay has passed the last event before that migration.
 */
export const replayEvents = (
  db: Db,
  tables: readonly AnyTable[],
  stream?: string,
  known: ReadonlyMap<number, Upgrade> = upgrades,
): Promise<ReplayResult> =>
  db.read(async (tx) => {
    const rebuilt = new Map<string, Record<string, unknown>>()
    const result: ReplayResult = { rows: 0, events: 0, differences: [] }
    for (const each of stream === undefined ? await streamNames(tx) : [stream])
      await rebuildStream(tx, each, known, rebuilt, result)
    for (const table of tables) await compare(tx, table, rebuilt, stream, result)
    for (const name of rebuilt.keys()) result.differences.push(`${name}: in the events, not in the store`)
    return result
  })

const streamNames = (tx: ReadTx): Promise<string[]> =>
  column('stream', text).all(sqlOf(tx), 'SELECT stream FROM streams ORDER BY stream')

async function rebuildStream(
  tx: ReadTx,
  stream: string,
  known: ReadonlyMap<number, Upgrade>,
  rebuilt: Map<string, Record<string, unknown>>,
  result: ReplayResult,
): Promise<void> {
  const rows = createRebuiltRows()
  const marks = await listMarks(tx, stream)
  const upgradeBefore = (seq: number): void => {
    while (marks[0] !== undefined && marks[0].seq < seq) known.get(marks.shift()?.version as number)?.(rows)
  }
  for await (const { seq, changes } of storedChanges(tx, stream)) {
    upgradeBefore(seq)
    result.events++
    for (const stored of changes) rows.apply(stored)
  }
  upgradeBefore(Infinity)
  for (const [name, columns] of rows.entries()) rebuilt.set(name, columns)
}

const listMarks = (tx: ReadTx, stream: string): Promise<{ version: number; seq: number }[]> =>
  marksOfStream.all(sqlOf(tx), 'SELECT version, seq FROM schema_marks WHERE stream = ? ORDER BY version', [stream])

const marksOfStream = columns({ version: integer, seq: integer })

async function compare(
  tx: ReadTx,
  table: AnyTable,
  rebuilt: Map<string, Record<string, unknown>>,
  stream: string | undefined,
  result: ReplayResult,
): Promise<void> {
  const order = table.key.map(snakeCase)
  const apart = new Set([...table.sealed.map(snakeCase), ...table.saltColumns])
  const rows = await sqlOf(tx).all(`SELECT * FROM ${table.name} ORDER BY ${order.join(', ')}`)
  for (const row of rows) {
    const name = rowName(
      table.name,
      order.map((column) => row[column]),
    )
    const expected = rebuilt.get(name)
    rebuilt.delete(name)
    if (expected === undefined) {
      // When one stream is replayed, the rows of the others are not rebuilt.
      if (stream === undefined || table.stream(decode(table, row)) === stream)
        result.differences.push(`${name}: in the store, not in the events`)
      continue
    }
    result.rows++
    for (const difference of sealedDifferences(table, row, expected)) result.differences.push(`${name}: ${difference}`)
    for (const column of Object.keys(row)) {
      if (apart.has(column)) continue
      const known = column in expected ? expected[column] : (table.added[column] ?? null)
      if (canonicalJson(row[column] ?? null) !== canonicalJson(known ?? null))
        result.differences.push(
          `${name}: ${column} is ${JSON.stringify(row[column])} in the store, ${JSON.stringify(known ?? null)} in the events`,
        )
    }
  }
}
