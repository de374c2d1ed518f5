import type { Db, SqlRow } from '../../../src/db/port.ts'
import { type AnyTable, decode, type Table } from '../../../src/db/table.ts'
import { sqlOf } from '../../../src/db/tx.ts'
import type { StoredChange } from '../../../src/events/change.ts'
import type { EventLevel } from '../../../src/events/contract.ts'
import { eventTables } from '../../../src/tables.ts'

/** A line of the live log. */
export interface Line {
  readonly kind: string
  readonly tier: string
  readonly code: string
  readonly message: string
  readonly level: EventLevel
  readonly data: Readonly<Record<string, unknown>>
}

const byName = new Map<string, AnyTable>(eventTables.map((table) => [table.name, table]))

/**
 * The rows of one run as of the last commit, so that a test can read them without waiting. They are rebuilt from the
 * run's events, which hold every change of a row; reading whole tables after each step would cost more than the step.
 */
export class Rows {
  readonly lines: Line[] = []
  private readonly tables = new Map<string, Map<string, object>>()
  private seq = 0
  private readonly db: Db
  private readonly stream: string

  constructor(db: Db, runId: string) {
    this.db = db
    this.stream = `run:${runId}`
  }

  /** In the order in which they were created. */
  of<Row extends object>(table: Table<Row>): Row[] {
    return [...(this.tables.get(table.name)?.values() ?? [])] as Row[]
  }

  find<Row extends object>(table: Table<Row>, ...key: readonly unknown[]): Row | undefined {
    return this.tables.get(table.name)?.get(key.join('/')) as Row | undefined
  }

  async refresh(): Promise<void> {
    const events = await this.db.read((tx) =>
      sqlOf(tx).all(
        'SELECT seq, kind, tier, code, message, level, data, changes FROM events WHERE stream = ? AND seq > ? ORDER BY seq',
        [this.stream, this.seq],
      ),
    )
    for (const event of events) this.apply(event)
  }

  private apply(event: SqlRow): void {
    this.seq = event['seq'] as number
    this.lines.push({
      kind: event['kind'] as string,
      tier: (event['tier'] ?? '') as string,
      code: (event['code'] ?? '') as string,
      message: event['message'] as string,
      level: event['level'] as EventLevel,
      data: JSON.parse(event['data'] as string) as Record<string, unknown>,
    })
    for (const [sign, name, key, columns] of JSON.parse(event['changes'] as string) as StoredChange[]) {
      const rows = this.tables.get(name) ?? new Map<string, object>()
      this.tables.set(name, rows)
      const place = key.join('/')
      if (sign === '-') rows.delete(place)
      else rows.set(place, { ...rows.get(place), ...decode(byName.get(name) as AnyTable, columns as SqlRow) })
    }
  }
}
