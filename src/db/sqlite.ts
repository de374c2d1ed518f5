import { DatabaseSync, type StatementSync } from 'node:sqlite'

import { AgencyError, bug, refusal } from '../kernel/errors.ts'
import { applyMigrations, checkSchema } from './migrate.ts'
import { answerOnce, claimOnce, guardNesting, refuseNesting, runOnce } from './once.ts'
import type { Db, DbOptions, ReadTx, Sql, SqlRow, SqlValue, Stream, Tx } from './port.ts'
import { asTx, OpenTx, takeStreams } from './tx.ts'

/** After this many callbacks a batch commits even if more are waiting: it bounds how long the first one waits. */
const batchSize = 64

interface Waiting {
  streams: readonly Stream[]
  writable: boolean
  work: (open: OpenTx) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

export interface SqliteOptions extends DbOptions {
  /** A file, or `:memory:`. */
  path: string
  /** For looking at a store that somebody else may own: nothing is migrated, a write is refused. */
  readOnly?: boolean
}

export async function openSqlite(options: SqliteOptions): Promise<Db> {
  const inMemory = options.path === ':memory:'
  const readOnly = options.readOnly ?? false
  const writer = connectFile(options.path, readOnly)
  try {
    if (readOnly) await checkSchema(writer.sql)
    else await applyMigrations('sqlite', writer.sql, options.clock.at(), (text) => writer.database.exec(text))
  } catch (error) {
    writer.database.close()
    throw error instanceof AgencyError ? error : unusable(options.path, error)
  }
  // A second connection sees the last commit while the writer is half-way through a batch. An in-memory store has only
  // one connection, so its reads take their turn with the writes.
  const reader = inMemory ? writer : connectFile(options.path, true)

  const listeners = new Set<() => void>()
  const queue: Waiting[] = []
  let reads: Promise<unknown> = Promise.resolve()
  let draining: Promise<void> | null = null
  let closed = false

  const enqueue = <T>(item: Omit<Waiting, 'resolve' | 'reject'>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (closed) return reject(refusal('stopping', 'the store is closed'))
      queue.push({ ...item, resolve: resolve as (value: unknown) => void, reject })
      draining ??= drain()
    })

  async function drain(): Promise<void> {
    // One turn of the event loop lets every request of this moment join the batch, so that they share one fsync.
    await new Promise<void>((resolve) => setImmediate(resolve))
    try {
      while (queue.length > 0) await commitBatch()
    } finally {
      draining = null
    }
  }

  async function commitBatch(): Promise<void> {
    const settled: { item: Waiting; open: OpenTx; value: unknown }[] = []
    let count = 0
    try {
      writer.exec('BEGIN IMMEDIATE')
      for (; count < batchSize && queue.length > 0; count++) {
        const item = queue.shift() as Waiting
        writer.exec('SAVEPOINT one')
        try {
          const open = await openOne(item)
          const value = await guardNesting(() => item.work(open))
          await open.seal()
          writer.exec('RELEASE one')
          settled.push({ item, open, value })
        } catch (error) {
          // A full disk or an I/O error may have ended the whole transaction, and with it what the batch did before.
          if (!writer.database.isTransaction) {
            item.reject(storeError(error))
            throw error
          }
          writer.exec('ROLLBACK TO one')
          writer.exec('RELEASE one')
          item.reject(storeError(error))
        }
      }
      writer.exec('COMMIT')
    } catch (error) {
      if (writer.database.isTransaction) writer.exec('ROLLBACK')
      for (const { item } of settled) item.reject(storeError(error))
      if (count === 0 && settled.length === 0) queue.shift()?.reject(storeError(error))
      return
    }
    let wroteEvents = false
    for (const { item, open, value } of settled) {
      wroteEvents ||= open.wroteEvents
      for (const callback of open.afterCommitCallbacks) callback()
      item.resolve(value)
    }
    if (wroteEvents) for (const listener of listeners) listener()
  }

  async function openOne(item: Waiting): Promise<OpenTx> {
    const heads = await takeStreams(writer.sql, item.streams, false)
    return new OpenTx({
      sql: writer.sql,
      at: options.clock.at(),
      chainKey: options.chainKey,
      writable: item.writable,
      heads,
    })
  }

  async function snapshot<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
    const view = new OpenTx({
      sql: reader.sql,
      at: options.clock.at(),
      chainKey: options.chainKey,
      writable: false,
      heads: new Map(),
    })
    reader.exec('BEGIN')
    try {
      return await guardNesting(() => work(asTx(view)))
    } finally {
      reader.exec('COMMIT')
    }
  }

  return {
    kind: 'sqlite',
    async write<T>(streams: readonly Stream[], work: (tx: Tx) => Promise<T>): Promise<T> {
      refuseNesting()
      if (readOnly) throw bug('a write to a store that was opened to be looked at')
      const once = claimOnce()
      return enqueue<T>({
        streams,
        writable: true,
        work: (view) => (once === undefined ? work(asTx(view)) : answerOnce(asTx(view), once, () => work(asTx(view)))),
      })
    },
    async read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
      refuseNesting()
      if (inMemory) return enqueue<T>({ streams: [], writable: false, work: (view) => work(asTx(view)) })
      const turn = reads.then(() => snapshot(work))
      reads = turn.catch(() => {})
      return turn
    },
    once: runOnce,
    onCommit(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    statements: () => writer.count() + (inMemory ? 0 : reader.count()),
    async close() {
      if (closed) return
      closed = true
      await draining
      await reads
      if (!inMemory) reader.database.close()
      writer.database.close()
    },
  }
}

function connectFile(path: string, readOnly: boolean): { database: DatabaseSync; sql: Sql; exec(text: string): void; count(): number } {
  let database: DatabaseSync
  try {
    database = new DatabaseSync(path, { readOnly })
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON')
    if (!readOnly) database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  } catch (error) {
    throw unusable(path, error)
  }
  const statements = new Map<string, StatementSync>()
  let count = 0
  const prepared = (text: string): StatementSync => {
    count++
    let statement = statements.get(text)
    if (statement === undefined) {
      statement = database.prepare(text)
      statements.set(text, statement)
    }
    return statement
  }
  const none: readonly SqlValue[] = []
  // Async by signature only: the work is done when the function returns, an error becomes a rejection.
  const sql: Sql = {
    get: async (text, values = none) => prepared(text).get(...values) as SqlRow | undefined,
    all: async (text, values = none) => prepared(text).all(...values) as SqlRow[],
    run: async (text, values = none) => Number(prepared(text).run(...values).changes),
  }
  return { database, sql, exec: (text) => void prepared(text).run(), count: () => count }
}

function unusable(path: string, error: unknown): AgencyError {
  const reason = error instanceof Error ? error.message : String(error)
  return refusal('store_unusable', `the store ${path} cannot be opened: ${reason}`, {
    hint: 'Run "agency doctor" for what is wrong with it; a copy of the file is the first thing to make.',
    cause: error,
  })
}

/** Disk trouble is the operator's to mend and says so; anything else is passed on as it is. */
function storeError(error: unknown): unknown {
  if (error instanceof AgencyError || !(error instanceof Error)) return error
  if (/disk is full|database or disk is full/i.test(error.message))
    return refusal('store_full', 'the disk that holds the store is full; nothing was changed', {
      hint: 'Free some space, then repeat the command.',
      cause: error,
    })
  if (/readonly|disk I\/O error|malformed|not a database/i.test(error.message))
    return refusal('store_unusable', `the store cannot be written: ${error.message}`, {
      hint: 'Run "agency doctor" for what is wrong with it.',
      cause: error,
    })
  return error
}
