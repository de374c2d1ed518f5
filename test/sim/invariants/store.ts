import type { ReadTx } from '../../../src/db/port.ts'
import { sqlOf } from '../../../src/db/tx.ts'
import { auditEvents } from '../../../src/events/audit.ts'
import { replayEvents } from '../../../src/events/replay.ts'
import { eventTables } from '../../../src/tables.ts'
import type { World } from '../world.ts'
import { checkActs } from './gates.ts'
import { checkLedger } from './ledger.ts'

/** Checks that the tables match the events; `thoroughly` also runs the product's own audit and replay. */
export async function checkStore(world: World, { thoroughly }: { thoroughly: boolean }): Promise<void> {
  checkActs(world)
  const goals = [...world.history.rows('runs').values()].map((run) => run['goal_anchor'])
  if (new Set(goals).size < goals.length) world.fail('a request with one key happens once', goals.join(', '))
  await world.history.catchUp()
  checkLedger(world)
  const difference = await world.db.read((tx) => findDifference(world, tx))
  if (difference !== null) world.fail('the tables match the events', difference)
  if (!thoroughly) return
  const [finding] = (await auditEvents(world.db)).findings
  if (finding !== undefined) world.fail('the audit has no findings', finding)
  const [replayed] = (await replayEvents(world.db, eventTables)).differences
  if (replayed !== undefined) world.fail('a replay rebuilds the store', replayed)
}

async function findDifference({ history }: World, tx: ReadTx): Promise<string | null> {
  for (const table of eventTables) {
    const rows = await sqlOf(tx).all(`SELECT * FROM ${table.name}`)
    const expectedRows = history.rows(table.name)
    if (rows.length !== expectedRows.size)
      return `${table.name}: ${rows.length} rows, but ${expectedRows.size} in the events`
    for (const row of rows) {
      const key = table.keyColumns.map((column) => row[column]).join('/')
      const known = expectedRows.get(key)
      if (known === undefined) return `${table.name} ${key}: in the store, not in the events`
      for (const column of Object.keys(row)) {
        const expected = column in known ? known[column] : (table.added[column] ?? null)
        if (row[column] !== expected)
          return `${table.name} ${key}: ${column} is ${JSON.stringify(row[column])}, in the events ${JSON.stringify(expected)}`
      }
    }
  }
  return null
}
