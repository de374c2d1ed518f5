import { columns, integer, json } from '../db/columns.ts'
import type { ReadTx } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import { bug } from '../kernel/errors.ts'
import type { StoredChange } from './change.ts'

export interface ChangesOfEvent {
  readonly seq: number
  readonly changes: StoredChange[]
}

/** Yields the row changes of a stream's events, oldest first; of those only that mention a table, if it is given. */
export async function* storedChanges(tx: ReadTx, stream: string, table?: string): AsyncGenerator<ChangesOfEvent> {
  // A bound pattern would be prepared again for each page.
  const mentions = table === undefined ? '' : ` AND changes LIKE '%"${nameIn(table)}"%'`
  let seq = 0
  for (;;) {
    const rows = await changesOfEvents.all(
      sqlOf(tx),
      `SELECT seq, changes FROM events WHERE stream = ? AND seq > ?${mentions} ORDER BY seq LIMIT 1000`,
      [stream, seq],
    )
    yield* rows
    if (rows.length < 1000) return
    seq = rows.at(-1)?.seq as number
  }
}

const changesOfEvents = columns({ seq: integer, changes: json<StoredChange[]>() })

function nameIn(table: string): string {
  if (!/^[a-z_]+$/.test(table)) throw bug(`"${table}" is not the name of a table`)
  return table
}
