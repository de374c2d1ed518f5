import type { Db, ReadTx } from '../../src/db/port.ts'
import { sqlOf } from '../../src/db/tx.ts'
import type { StoredChange } from '../../src/events/change.ts'
import type { Behaviour } from './agents/behaviour.ts'

/** A row rebuilt from the events, with the store's column names and values. */
export type Row = Readonly<Record<string, unknown>>

export interface SeenEvent {
  readonly position: number
  readonly stream: string
  /** Its number in the stream. */
  readonly seq: number
  readonly at: string
  readonly kind: string
  readonly by: string
  readonly runId: string | null
  readonly briefId: string | null
  readonly attemptId: string | null
  readonly data: Readonly<Record<string, unknown>>
  readonly steps: readonly Step[]
}

/** The change of one row within an event; `before` is null if the event created the row. */
export interface Step {
  readonly table: string
  readonly before: Row | null
  readonly after: Row | null
}

export type Fail = (invariant: string, detail: string) => void
/** Checks each event, with the rows as they are after it. */
export type Watcher = (event: SeenEvent, history: History) => void
/** Checks the runs that a commit changed. */
export type Inspector = (runIds: ReadonlySet<string>, history: History) => void

/** All committed rows, rebuilt from the events alone, and the checks that run on them. */
export interface History {
  readonly fail: Fail
  rows(table: string): ReadonlyMap<string, Row>
  row(table: string, ...key: (string | number)[]): Row | undefined
  of(table: string, runId: string): Row[]
  events(): number
  /** Records the behaviour of an attempt's agent. */
  play(attemptId: string, behaviour: Behaviour): void
  playedBy(attemptId: string): Behaviour | undefined
  hasEnded(attemptId: string): boolean
  watch(watcher: Watcher): void
  inspect(inspector: Inspector): void
  /** Reads new events. */
  catchUp(): Promise<void>
}

export function createHistory(db: Db, fail: Fail): History {
  const tables = new Map<string, Map<string, Row>>()
  /** Rows of a run by table, because most lookups are about one run. */
  const byRun = new Map<string, Map<string, Row>>()
  const behaviours = new Map<string, Behaviour>()
  const watchers: Watcher[] = []
  const inspectors: Inspector[] = []
  let position = 0
  let events = 0

  const rowsOf = (table: string): Map<string, Row> => {
    let rows = tables.get(table)
    if (rows === undefined) tables.set(table, (rows = new Map()))
    return rows
  }

  function take([sign, table, key, columns]: StoredChange): Step {
    const rows = rowsOf(table)
    const name = key.join('/')
    const before = rows.get(name) ?? null
    if (sign === '+' && before !== null) fail('events are consistent', `${table} ${name} is created twice`)
    if (sign !== '+' && before === null) fail('events are consistent', `${table} ${name} changes before its creation`)
    const after = sign === '-' ? null : sign === '+' ? columns : { ...before, ...columns }
    if (after === null) rows.delete(name)
    else rows.set(name, after)
    const runId = (after ?? before)?.['run_id'] as string | undefined
    if (runId !== undefined) {
      const place = `${table} ${runId}`
      let ofRun = byRun.get(place)
      if (ofRun === undefined) byRun.set(place, (ofRun = new Map()))
      if (after === null) ofRun.delete(name)
      else ofRun.set(name, after)
    }
    return { table, before, after }
  }

  async function read(tx: ReadTx): Promise<void> {
    const touched = new Set<string>()
    const rows = await sqlOf(tx).all(
      'SELECT position, stream, seq, at, kind, by, run_id, brief_id, attempt_id, data, changes FROM events WHERE position > ? ORDER BY position',
      [position],
    )
    for (const row of rows) {
      position = row['position'] as number
      events++
      const event: SeenEvent = {
        position,
        stream: row['stream'] as string,
        seq: row['seq'] as number,
        at: row['at'] as string,
        kind: row['kind'] as string,
        by: row['by'] as string,
        runId: row['run_id'] as string | null,
        briefId: row['brief_id'] as string | null,
        attemptId: row['attempt_id'] as string | null,
        // Few checks read it.
        get data() {
          return JSON.parse(row['data'] as string) as Record<string, unknown>
        },
        steps: (JSON.parse(row['changes'] as string) as StoredChange[]).map(take),
      }
      if (event.stream.startsWith('run:')) touched.add(event.stream.slice('run:'.length))
      for (const watcher of watchers) watcher(event, history)
    }
    if (touched.size > 0) for (const inspector of inspectors) inspector(touched, history)
  }

  const history: History = {
    fail,
    rows: rowsOf,
    row: (table, ...key) => rowsOf(table).get(key.join('/')),
    of: (table, runId) => [...(byRun.get(`${table} ${runId}`)?.values() ?? [])],
    events: () => events,
    play: (attemptId, behaviour) => void behaviours.set(attemptId, behaviour),
    playedBy: (attemptId) => behaviours.get(attemptId),
    hasEnded: (attemptId) => rowsOf('attempts').get(attemptId)?.['status'] === 'ended',
    watch: (watcher) => void watchers.push(watcher),
    inspect: (inspector) => void inspectors.push(inspector),
    catchUp: () => db.read(read),
  }
  return history
}
