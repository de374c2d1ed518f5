import { bug } from '../kernel/errors.ts'
import { type ChainKey, keyedHash } from './chain.ts'
import { insertText, PendingRows } from './pending.ts'
import type { ReadTx, Sql, SqlRow, SqlValue, Stream, Tx } from './port.ts'

interface StreamHead {
  seq: number
  hash: string
  moved: boolean
}

/** What stands behind the opaque `Tx`. Only `db/`, `events/`, `jobs/` and stores reach it, through the functions below. */
export class OpenTx {
  readonly at: string
  /** Rows changed and not yet written; reading through `sql` writes them first. */
  readonly rows = new PendingRows()
  readonly chainKey: ChainKey
  readonly writable: boolean
  readonly afterCommitCallbacks: (() => void)[] = []
  wroteEvents = false
  #heads: Map<Stream, StreamHead>
  #takeFeed: (() => Promise<unknown>) | undefined
  #events: SqlRow[] = []
  /** Without a look at what is pending. */
  #sql: Sql
  /** For a look at anything; may be kept, because it looks for pending rows at every call. */
  readonly sql: Sql

  constructor(options: OpenTxOptions) {
    const { sql } = options
    this.#sql = sql
    this.sql = {
      get: (text, values) => this.#flushed(() => sql.get(text, values)),
      all: (text, values) => this.#flushed(() => sql.all(text, values)),
      run: (text, values) => this.#flushed(() => sql.run(text, values)),
    }
    this.at = options.at
    this.chainKey = options.chainKey
    this.writable = options.writable
    this.#heads = options.heads
    this.#takeFeed = options.takeFeed
  }

  /** For a look at one table, at once: rows of others may stay pending. */
  sqlFor(table: string): Sql {
    return this.rows.touches(table) ? this.sql : this.#sql
  }

  #flushed<T>(look: () => Promise<T>): Promise<T> {
    return this.rows.isEmpty ? look() : this.rows.flush(this.#sql).then(look)
  }

  afterCommit(callback: () => void): void {
    this.afterCommitCallbacks.push(callback)
  }

  async hold(stream: Stream): Promise<void> {
    if (this.#heads.has(stream)) return
    const [taken] = await takeStreams(this.#sql, [stream], this.chainKey, this.#takeFeed !== undefined)
    if (taken !== undefined) this.#heads.set(...taken)
  }

  head(stream: Stream): StreamHead {
    const head = this.#heads.get(stream)
    if (head === undefined) throw bug(`an event for "${stream}", which this transaction did not name`)
    return head
  }

  insertEvent(columns: SqlRow): void {
    this.wroteEvents = true
    this.#events.push(columns)
  }

  /** Writes rows, the heads that moved, and at last the events: the end of the transaction, but for COMMIT. */
  async seal(): Promise<void> {
    if (!this.rows.isEmpty) await this.rows.flush(this.#sql)
    this.rows.refuseFailure()
    for (const [stream, head] of this.#heads) {
      if (!head.moved) continue
      const seal = sealOf(this.chainKey, stream, head.seq, head.hash)
      await this.#sql.run(updateHead, [head.seq, head.hash, seal, stream])
    }
    if (this.#events.length === 0) return
    await this.#takeFeed?.()
    for (let from = 0; from < this.#events.length; from += eventsPerInsert) {
      const rows = this.#events.slice(from, from + eventsPerInsert)
      await this.#sql.run(
        insertText('events', eventColumns, 16, rows.length),
        rows.flatMap((row) => Object.values(row)),
      )
    }
  }
}

interface OpenTxOptions {
  sql: Sql
  at: string
  chainKey: ChainKey
  writable: boolean
  heads: Map<Stream, StreamHead>
  /**
   * With several writers at once (PostgreSQL): waits for the right to append to the feed of everything, held until the
   * commit. Events are kept back until then, so that positions rise in the order of commits: a reader that has seen
   * one never finds a lower one later. Numbers handed out during the transaction, and a reader that stays behind the
   * oldest open one, were refused: any transaction left open on that server would stop the feed, and transaction ids
   * start again in a database that was restored from a dump.
   */
  takeFeed?: () => Promise<unknown>
}

export const eventColumns =
  'stream, seq, at, kind, by, run_id, brief_id, attempt_id, tier, workstream, level, code, message, data, changes, hash'

const eventsPerInsert = 16

/**
 * The head carries a seal of its own, which no event row repeats: cutting off the newest events and
 * setting the head back to an older one needs a seal that is nowhere to be copied from.
 */
export const sealOf = (key: ChainKey, stream: string, seq: number, hash: string): string =>
  keyedHash(key, `head\n${stream}\n${seq}\n${hash}`)

export const asTx = (open: OpenTx): Tx => open as unknown as Tx
export const openTx = (tx: ReadTx): OpenTx => tx as unknown as OpenTx
/** The statement runner of a transaction: for stores only. */
export const sqlOf = (tx: ReadTx): Sql => openTx(tx).sql

/** Reads, and on PostgreSQL locks, the heads of the named streams; sorted, so that two writers never wait for each other in a circle. */
export async function takeStreams(
  sql: Sql,
  streams: readonly Stream[],
  chainKey: ChainKey,
  lock: boolean,
): Promise<Map<Stream, StreamHead>> {
  const heads = new Map<Stream, StreamHead>()
  const select = lock ? selectAndLockHead : selectHead
  for (const stream of streams.length < 2 ? streams : [...new Set(streams)].sort()) {
    let row = await sql.get(select, [stream])
    if (row === undefined) {
      // Sealed while still empty: otherwise emptying a stream and its head would leave no trace.
      await sql.run(insertHead, [stream, sealOf(chainKey, stream, 0, '')])
      row = await sql.get(select, [stream])
    }
    if (row === undefined) throw bug(`the stream "${stream}" vanished`)
    heads.set(stream, { seq: row['seq'] as number, hash: row['hash'] as string, moved: false })
  }
  return heads
}

const selectHead = 'SELECT seq, hash FROM streams WHERE stream = ?'
const selectAndLockHead = `${selectHead} FOR UPDATE`
const updateHead = 'UPDATE streams SET seq = ?, hash = ?, seal = ? WHERE stream = ?'
const insertHead = "INSERT INTO streams (stream, seq, hash, seal) VALUES (?, 0, '', ?) ON CONFLICT (stream) DO NOTHING"

/**
 * Integer ids: from a row in the same transaction, so that a rolled back insert leaves no gap and an import may raise it.
 * Returns the first of `count`.
 */
export async function nextCounter(tx: Tx, name: string, count = 1): Promise<number> {
  const row = await openTx(tx)
    .sqlFor('counters')
    .get(
      'INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = counters.value + excluded.value RETURNING value',
      [name, count],
    )
  return (row?.['value'] as number) - count + 1
}

export async function raiseCounter(tx: Tx, name: string, atLeast: number): Promise<void> {
  await sqlOf(tx).run(
    'INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = CASE WHEN counters.value < excluded.value THEN excluded.value ELSE counters.value END',
    [name, atLeast],
  )
}

/** `?` to `$1, $2 …`; our texts have no question mark inside a literal. */
export function numbered(text: string): string {
  let index = 0
  return text.replace(/\?/g, () => `$${++index}`)
}

export type { SqlValue }
