import type { ReadTx } from '../../../src/db/port.ts'
import { sqlOf } from '../../../src/db/tx.ts'
import { auditEvents } from '../../../src/events/audit.ts'
import { replayEvents } from '../../../src/events/replay.ts'
import { eventTables } from '../../../src/tables.ts'
import type { World } from '../world.ts'
import { checkActs } from './gates.ts'

/** The tables hold what the events tell and nothing else; thoroughly: as the product itself would look. */
export async function checkStore(world: World, { thoroughly }: { thoroughly: boolean }): Promise<void> {
  checkActs(world)
  const goals = [...world.history.rows('runs').values()].map((run) => run['goal_anchor'])
  if (new Set(goals).size < goals.length) world.fail('what is asked for under one key happens once', goals.join(', '))
  await world.history.catchUp()
  const difference = await world.db.read((tx) => findDifference(world, tx))
  if (difference !== null) world.fail('the tables say what the events say', difference)
  if (!thoroughly) return
  const [finding] = (await auditEvents(world.db)).findings
  if (finding !== undefined) world.fail('the audit has nothing to say', finding)
  const [replayed] = (await replayEvents(world.db, eventTables)).differences
  if (replayed !== undefined) world.fail('a replay rebuilds the store', replayed)
}

async function findDifference({ history }: World, tx: ReadTx): Promise<string | null> {
  for (const table of eventTables) {
    const rows = await sqlOf(tx).all(`SELECT * FROM ${table.name}`)
    const told = history.rows(table.name)
    if (rows.length !== told.size) return `${table.name}: ${rows.length} rows, the events tell of ${told.size}`
    for (const row of rows) {
      const place = table.keyColumns.map((column) => row[column]).join('/')
      const known = told.get(place)
      if (known === undefined) return `${table.name} ${place}: in the store, not in the events`
      for (const column of Object.keys(row)) {
        const expected = column in known ? known[column] : (table.added[column] ?? null)
        if (row[column] !== expected)
          return `${table.name} ${place}: ${column} is ${JSON.stringify(row[column])}, the events say ${JSON.stringify(expected)}`
      }
    }
  }
  return null
}
