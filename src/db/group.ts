import { bug } from '../kernel/errors.ts'
import { type ChainKey, keyedHash } from './chain.ts'
import { columns, integer, text } from './columns.ts'
import { insertText, PendingRows, type Target } from './pending.ts'
import type { Sql, SqlRow, SqlValue, Stream } from './port.ts'
import { mentions } from './mentions.ts'
import { type CachedRow, RowCache } from './row-cache.ts'

export interface StreamHead {
  seq: number
  hash: string
  moved: boolean
}

interface GroupOptions {
  sql: Sql
  chainKey: ChainKey
  /**
   * With several concurrent writers (PostgreSQL): waits for the lock on the global feed, which lasts until the commit.
   * Events are buffered until then, so that positions rise in the order of commits: a reader that has seen one never
   * finds a lower one later. The alternative, positions assigned during the transaction and a reader that stays behind
   * the oldest open transaction, was rejected: any transaction left open on that server would stop the feed, and
   * transaction ids start again in a database that was restored from a dump.
   */
  lockFeed?: () => Promise<unknown>
  /** For the sole writer of a store, which need not read again what it has written itself. */
  memory?: WriterMemory
}

/** State of the store as its sole writer knows it. */
export interface WriterMemory {
  /** The heads of streams as they were last committed. */
  readonly heads: Map<Stream, Pick<StreamHead, 'seq' | 'hash'>>
  readonly rows: RowCache
}

/**
 * Rows, events and stream heads that are committed together and not yet written. On PostgreSQL a group is one
 * transaction; on SQLite it is all transactions of one batch, which also share the rows they have read, because there
 * is no other writer meanwhile.
 */
export class CommitGroup {
  readonly rows: PendingRows
  readonly chainKey: ChainKey
  /** Runs statements without flushing pending rows. */
  readonly direct: Sql
  /**
   * Runs any statement; may be kept, because a query flushes the pending rows and events that it may read, and any other
   * statement flushes all of them.
   */
  readonly sql: Sql
  /** Runs statements that read rows and no events: every call flushes pending rows, and events stay pending. */
  readonly rowSql: Sql
  /** The time of the PostgreSQL server when the last stream was locked. */
  lockedAtMs: number | null = null
  #heads = new Map<Stream, StreamHead>()
  #events: SqlRow[] = []
  #lockFeed: (() => Promise<unknown>) | undefined
  #memory: WriterMemory | undefined

  constructor({ sql, chainKey, lockFeed, memory }: GroupOptions) {
    // Another writer may change the rows that a transaction on PostgreSQL has read.
    this.rows = new PendingRows(lockFeed === undefined ? (memory?.rows ?? new RowCache()) : null)
    this.direct = sql
    this.chainKey = chainKey
    this.#lockFeed = lockFeed
    this.#memory = memory
    this.rowSql = {
      get: (text, values) => this.#withRows(() => sql.get(text, values)),
      all: (text, values) => this.#withRows(() => sql.all(text, values)),
      run: () => Promise.reject(bug('a statement that writes rows beside the pending ones')),
    }
    this.sql = {
      get: (text, values) => this.#flushed(text, () => sql.get(text, values)),
      all: (text, values) => this.#flushed(text, () => sql.all(text, values)),
      run: (text, values) =>
        this.#flushed(text, () => {
          if (!isOutsideEvents.test(text)) this.rows.cache?.clear()
          return sql.run(text, values)
        }),
    }
  }

  /** Returns the row of this key with its pending changes. */
  async findRow(target: Target, key: readonly SqlValue[], text: string): Promise<CachedRow | undefined> {
    const { rows } = this
    const cached = rows.cache?.get(target, key)
    if (cached !== undefined) return cached
    const row = await (rows.hasRow(target, key) ? this.rowSql : this.direct).get(text, key)
    if (row === undefined) return undefined
    return rows.cache?.addRead(target, key, row) ?? { row, decoded: null, changed: null }
  }

  /** Returns the rows of these keys of one column, with their pending changes, in no particular order. */
  async findRowsByKey(
    target: Target,
    keys: ReadonlySet<SqlValue>,
    textFor: (count: number) => string,
  ): Promise<CachedRow[]> {
    const { rows } = this
    const found: CachedRow[] = []
    const unknown: SqlValue[] = []
    for (const key of keys) {
      const cached = rows.cache?.get(target, [key])
      if (cached === undefined) unknown.push(key)
      else found.push(cached)
    }
    if (unknown.length === 0) return found
    const sql = unknown.some((key) => rows.hasRow(target, [key])) ? this.rowSql : this.direct
    const [keyColumn = ''] = target.keyColumns
    for (const row of await sql.all(textFor(unknown.length), unknown))
      found.push(
        rows.cache?.addRead(target, [row[keyColumn] as SqlValue], row) ?? { row, decoded: null, changed: null },
      )
    return found
  }

  /** Returns at least these columns of the row of this key, with its pending changes. */
  async findColumns(target: Target, key: readonly SqlValue[], text: string): Promise<SqlRow | undefined> {
    const { rows } = this
    return rows.cache?.get(target, key)?.row ?? (rows.hasRow(target, key) ? this.rowSql : this.direct).get(text, key)
  }

  /**
   * Reads, and on PostgreSQL locks, the heads of these streams; in sorted order, so that two writers never deadlock.
   */
  async lock(streams: readonly Stream[]): Promise<Map<Stream, StreamHead>> {
    const locked = new Map<Stream, StreamHead>()
    for (const stream of streams.length < 2 ? streams : [...new Set(streams)].sort())
      locked.set(stream, this.#heads.get(stream) ?? (await this.#lockHead(stream)))
    return locked
  }

  async #lockHead(stream: Stream): Promise<StreamHead> {
    let row = this.#memory?.heads.get(stream) ?? (await this.#readHead(stream))
    if (row === undefined) {
      // An empty head is sealed too: otherwise removing a stream's events together with its head would leave no trace.
      await this.direct.run(insertHead, [stream, sealOf(this.chainKey, stream, 0, '')])
      row = this.#memory === undefined ? await this.#readHead(stream) : { seq: 0, hash: '' }
    }
    if (row === undefined) throw bug(`the stream "${stream}" vanished`)
    const head = { ...row, moved: false }
    this.#heads.set(stream, head)
    return head
  }

  async #readHead(stream: Stream): Promise<Pick<StreamHead, 'seq' | 'hash'> | undefined> {
    if (this.#lockFeed === undefined) return heads.first(this.direct, selectHead, [stream])
    const locked = await lockedHeads.first(this.direct, selectAndLockHead, [stream])
    if (locked === undefined) return undefined
    this.lockedAtMs = locked.nowMs
    return { seq: locked.seq, hash: locked.hash }
  }

  insertEvent(columns: SqlRow): void {
    this.#events.push(columns)
  }

  /** Remembers the state that the commit of this group has left in the store. */
  remember({ heads }: WriterMemory): void {
    if (heads.size > maxHeads) heads.clear()
    for (const [stream, { seq, hash }] of this.#heads) heads.set(stream, { seq, hash })
  }

  /** Writes the rows, the changed heads and finally the events: everything except COMMIT. */
  async seal(): Promise<void> {
    if (!this.rows.isEmpty) await this.rows.flush(this.direct)
    this.rows.throwFailure()
    await this.#writeEvents()
  }

  async #writeEvents(): Promise<void> {
    const events = this.#events
    if (events.length === 0) return
    this.#events = []
    for (const [stream, head] of this.#heads) {
      if (!head.moved) continue
      head.moved = false
      const seal = sealOf(this.chainKey, stream, head.seq, head.hash)
      await this.direct.run(updateHead, [head.seq, head.hash, seal, stream])
    }
    await this.#lockFeed?.()
    for (let from = 0; from < events.length; from += eventsPerInsert) {
      const rows = events.slice(from, from + eventsPerInsert)
      const values: SqlValue[] = []
      for (const row of rows) values.push(...Object.values(row))
      await this.direct.run(insertText('events', eventColumns, 16, rows.length), values)
    }
  }

  async #withRows<T>(run: () => Promise<T>): Promise<T> {
    if (!this.rows.isEmpty) await this.rows.flush(this.direct)
    return run()
  }

  /** Runs a statement after everything pending that concerns it is written. */
  async #flushed<T>(text: string, run: () => Promise<T>): Promise<T> {
    const isQuery = isQueryText.test(text)
    if (!this.rows.isEmpty && !(isQuery && !this.rows.isMentioned(text))) await this.rows.flush(this.direct)
    // A query must not block another writer's feed.
    if (this.#events.length > 0 && this.#lockFeed === undefined && !(isQuery && !readsEvents(text)))
      await this.#writeEvents()
    return run()
  }
}

const isQueryText = /^(SELECT|WITH)\b/
const readsEvents = (text: string): boolean => mentions(text, 'events') || mentions(text, 'streams')

/** Tables that no event changes and no row of an event's table refers to. */
const isOutsideEvents = /^(INSERT INTO|UPDATE|DELETE FROM) (answers|counters|file_moves|jobs|workers)\b/

/** More heads of streams are not remembered; they are read again when they are needed. */
const maxHeads = 1_000

export const eventColumns =
  'stream, seq, at, kind, by, run_id, brief_id, attempt_id, tier, workstream, level, code, message, data, changes, hash'

const eventsPerInsert = 16

/**
 * Returns the seal of a head, which no event row repeats: deleting the newest events and
 * setting the head back to an older one needs a seal that cannot be copied from anywhere.
 */
export const sealOf = (key: ChainKey, stream: string, seq: number, hash: string): string =>
  keyedHash(key, `head\n${stream}\n${seq}\n${hash}`)

const heads = columns({ seq: integer, hash: text })
const selectHead = 'SELECT seq, hash FROM streams WHERE stream = ?'
/** The time of a PostgreSQL server in milliseconds since 1970; it passes during a transaction. */
export const serverTime = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms'
const lockedHeads = columns({ seq: integer, hash: text, nowMs: integer })
/** The time is read after the lock was granted: of two transactions on one stream, the later one has the later time. */
const selectAndLockHead = `WITH head AS MATERIALIZED (${selectHead} FOR UPDATE) SELECT seq, hash, ${serverTime} FROM head`
const updateHead = 'UPDATE streams SET seq = ?, hash = ?, seal = ? WHERE stream = ?'
const insertHead = "INSERT INTO streams (stream, seq, hash, seal) VALUES (?, 0, '', ?) ON CONFLICT (stream) DO NOTHING"
