import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

import { bug, refusal } from '../kernel/errors.ts'
import { announce } from './announce.ts'
import { createChainKey } from './chain.ts'
import { CommitGroup, type WriterMemory } from './group.ts'
import { applyMigrations, checkSchema } from './migrate.ts'
import { answerOnce, claimOnce, guardNesting, outsideRequests, refuseNesting, runOnce } from './once.ts'
import type { Commit, Db, DbOptions, ReadTx, Sql, SqlRow, SqlValue, Stream, Tx } from './port.ts'
import { RowCache } from './row-cache.ts'
import { openingError, storeError } from './sqlite-errors.ts'
import { asTx, OpenTx } from './tx.ts'

/** After this many callbacks a batch commits even if more are queued, to limit how long the first one waits. */
const batchSize = 64

interface Waiting {
  streams: readonly Stream[]
  writable: boolean
  work: (open: OpenTx) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

interface Ran {
  item: Waiting
  open: OpenTx
  value: unknown
}

export interface SqliteOptions extends DbOptions {
  /** A file, or `:memory:`. */
  path: string
  /** For a store that another process may own: nothing is migrated, and a write is refused. */
  readOnly?: boolean
  /**
   * In memory only: a connection with the schema, which outlives the store, so that the next store finds its
   * statements prepared.
   */
  connection?: Connection
}

export async function openSqlite(options: SqliteOptions): Promise<Db> {
  const inMemory = options.path === ':memory:'
  const readOnly = options.readOnly ?? false
  const chainKey = createChainKey(options.chainKey)
  if (!inMemory) {
    if (existsSync(options.path)) checkFile(options.path)
    else if (!readOnly) await createFile(options)
  }
  const writer = options.connection ?? connectFile(options.path, readOnly)
  try {
    if (!inMemory) refuseForeign(writer)
    if (readOnly) await checkSchema(writer.sql)
    else if (options.connection === undefined) await migrate(writer, options)
  } catch (error) {
    writer.database.close()
    throw openingError(options.path, error)
  }
  // A second connection sees the last commit while the writer is in the middle of a batch. An in-memory store has only
  // one connection, so its reads are queued with the writes.
  const reader = inMemory ? writer : connectFile(options.path, true)

  const listeners = new Set<(commit: Commit) => void>()
  const queue: Waiting[] = []
  // There is no other writer: the next batch finds the heads and rows that this one commits.
  const memory: WriterMemory = { heads: new Map(), rows: new RowCache() }
  let reads: Promise<unknown> = Promise.resolve()
  let draining: Promise<void> | null = null
  let closed = false

  const enqueue = <T>(item: Omit<Waiting, 'resolve' | 'reject'>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      queue.push({ ...item, resolve: resolve as (value: unknown) => void, reject })
      draining ??= outsideRequests(drain)
    })

  async function drain(): Promise<void> {
    // One turn of the event loop lets all concurrent requests join the batch, so that they share one fsync.
    do {
      await new Promise<void>((resolve) => setImmediate(resolve))
      await commitBatch()
    } while (queue.length > 0)
    draining = null
  }

  async function commitBatch(): Promise<void> {
    const items: Waiting[] = []
    let ran: Ran[] = []
    let begun = false
    try {
      writer.exec('BEGIN IMMEDIATE')
      begun = true
      ran = (await runTogether(items)) ?? (await runApart(items))
      writer.exec('COMMIT')
    } catch (error) {
      rollBack(writer)
      forget()
      const reason = storeError(error)
      for (const item of items) item.reject(reason)
      // The cause that prevents a transaction from beginning prevents the next ones too, each after the same timeout.
      if (!begun) for (const waiting of queue.splice(0)) waiting.reject(reason)
      return
    }
    let wroteEvents = false
    let mayBeReady = false
    for (const group of new Set(ran.map(({ open }) => open.group))) group.remember(memory)
    memory.rows.trim()
    for (const { open } of ran) {
      wroteEvents ||= open.wroteEvents
      mayBeReady ||= open.wroteEvents && open.mayBeReady
      for (const callback of open.afterCommitCallbacks) announce(callback)
    }
    for (const { item, value } of ran) item.resolve(value)
    if (wroteEvents) call({ mayBeReady, jobs: false, agents: false, isForeign: false })
  }

  function call(commit: Commit): void {
    for (const listener of listeners) announce(() => listener(commit))
  }

  /**
   * Runs all callbacks as one transaction with shared reads and writes. A savepoint for each would copy every page that
   * it changes. Returns null when one of them fails: then all of it is rolled back.
   */
  async function runTogether(items: Waiting[]): Promise<Ran[] | null> {
    const group = new CommitGroup({ sql: writer.sql, chainKey, memory })
    const ran: Ran[] = []
    try {
      for (let item; items.length < batchSize && (item = takeNext(items)) !== undefined;) {
        items.push(item)
        ran.push(await run(item, group))
      }
      await group.seal()
      return ran
    } catch {
      rollBack(writer)
      memory.rows.clear()
      writer.exec('BEGIN IMMEDIATE')
      return null
    }
  }

  /** Takes a call from the queue that may join the batch: a read sees the last commit, not the writes before it. */
  function takeNext([first]: readonly Waiting[]): Waiting | undefined {
    return first === undefined || queue[0]?.writable === first.writable ? queue.shift() : undefined
  }

  function forget(): void {
    memory.heads.clear()
    memory.rows.clear()
  }

  /**
   * Runs the callbacks one after the other in savepoints: a failure undoes only its own part. Throws when the whole
   * transaction is lost. Each reads again what the one before it has written.
   */
  async function runApart(items: readonly Waiting[]): Promise<Ran[]> {
    const ran: Ran[] = []
    for (const item of items) {
      writer.exec('SAVEPOINT one')
      try {
        const group = new CommitGroup({ sql: writer.sql, chainKey })
        const one = await run(item, group)
        await group.seal()
        writer.exec('RELEASE one')
        ran.push(one)
      } catch (error) {
        // A full disk or an I/O error may have ended the whole transaction, including the earlier callbacks of the
        // batch.
        if (!writer.database.isTransaction) throw error
        writer.exec('ROLLBACK TO one')
        writer.exec('RELEASE one')
        item.reject(storeError(error))
      }
    }
    return ran
  }

  async function run(item: Waiting, group: CommitGroup): Promise<Ran> {
    const heads = await group.lock(item.streams)
    const open = new OpenTx({ group, at: options.clock.at(), writable: item.writable, heads })
    return { item, open, value: await guardNesting(() => item.work(open)) }
  }

  function rollBack(connection: Connection): void {
    if (!connection.database.isTransaction) return
    try {
      connection.exec('ROLLBACK')
    } catch {
      // SQLite has rolled back by itself; the error that led here is the one to report.
    }
  }

  async function snapshot<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
    try {
      reader.exec('BEGIN')
      const group = new CommitGroup({ sql: reader.sql, chainKey })
      const open = new OpenTx({ group, at: options.clock.at(), writable: false })
      return await guardNesting(() => work(asTx(open)))
    } catch (error) {
      throw storeError(error)
    } finally {
      rollBack(reader)
    }
  }

  const refuseClosed = (): void => {
    if (closed) throw refusal('stopping', 'the store is closed')
  }

  const db: Db = {
    kind: 'sqlite',
    isShared: false,
    async write<T>(streams: readonly Stream[], work: (tx: Tx) => Promise<T>): Promise<T> {
      refuseNesting()
      refuseClosed()
      if (readOnly) throw bug('a write to a store that was opened read-only')
      const once = claimOnce()
      return enqueue<T>({
        streams,
        writable: true,
        work: (open) => (once === undefined ? work(asTx(open)) : answerOnce(asTx(open), once, () => work(asTx(open)))),
      })
    },
    async read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
      refuseNesting()
      refuseClosed()
      if (inMemory) return enqueue<T>({ streams: [], writable: false, work: (open) => work(asTx(open)) })
      const turn = reads.then(() => snapshot(work))
      reads = turn.catch(() => {})
      return turn
    },
    // No other process writes, and a transaction waits for one batch at most.
    writeApart: (work) => db.write([], work),
    once: runOnce,
    onCommit(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    recheck: () => call({ mayBeReady: false, jobs: false, agents: false, isForeign: true }),
    statements: () => writer.count() + (inMemory ? 0 : reader.count()),
    async close() {
      if (closed) return
      closed = true
      await draining
      await reads
      if (!inMemory) reader.database.close()
      if (options.connection === undefined) writer.database.close()
    },
  }
  return db
}

/**
 * Refuses truncated files: SQLite treats an empty file as a new database, and a page whose end is missing as one that
 * ends in zeros. Such a page is no loss only with a log beside the file, which contains the whole page.
 */
function checkFile(path: string): void {
  const header = Buffer.alloc(headerSize)
  try {
    const file = openSync(path, 'r')
    const read = readSync(file, header, 0, headerSize, 0)
    closeSync(file)
    if (read === headerSize && header.toString('latin1', 0, magic.length) === magic) {
      const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
      if (statSync(path).size % pageSize === 0 || existsSync(`${path}-wal`)) return
    }
  } catch (error) {
    throw openingError(path, error)
  }
  throw openingError(path, new Error('the file is not a store, or it was truncated'))
}

const magic = 'SQLite format 3\0'
const headerSize = 100

/**
 * Creates a new store under another name and renames it when it is complete. An existing empty file was therefore
 * truncated later, and is never treated as a new store.
 */
async function createFile(options: SqliteOptions): Promise<void> {
  const { path } = options
  if (existsSync(`${path}-wal`))
    throw openingError(path, new Error(`the file is missing, but its latest writes are still in ${path}-wal`))
  const fresh = `${path}.new`
  for (const ending of ['', '-wal', '-shm']) rmSync(fresh + ending, { force: true })
  const connection = connectFile(fresh, false)
  try {
    await migrate(connection, options)
  } catch (error) {
    throw openingError(path, error)
  } finally {
    connection.database.close()
  }
  renameSync(fresh, path)
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/**
 * Refuses a file without our tables: every store of ours was complete before it got its name, so it belongs to another
 * program.
 */
function refuseForeign({ database }: Connection): void {
  const ours = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").get()
  if (ours === undefined) throw new Error('it is the database of another program')
}

export interface Connection {
  database: DatabaseSync
  sql: Sql
  exec(text: string): void
  count(): number
}

/** Foreign keys are off meanwhile: a table that others refer to is changed by copying it. They hold again at the end. */
async function migrate({ database, sql }: Connection, options: SqliteOptions): Promise<void> {
  database.exec('PRAGMA foreign_keys = OFF')
  await applyMigrations('sqlite', sql, options.clock.at(), (text) => {
    database.exec(text)
    const [broken] = database.prepare('PRAGMA foreign_key_check').all()
    if (broken !== undefined) throw bug(`a migration broke a reference: ${JSON.stringify(broken)}`)
  })
  database.exec('PRAGMA foreign_keys = ON')
}

/** Opens a connection that prepares each statement once. */
export function connectFile(path: string, readOnly: boolean): Connection {
  const database = openFile(path, readOnly)
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
  // Async by signature only: the work is done when the function returns, and an error becomes a rejection.
  const sql: Sql = {
    get: async (text, values = none) => prepared(text).get(...values) as SqlRow | undefined,
    all: async (text, values = none) => prepared(text).all(...values) as SqlRow[],
    run: async (text, values = none) => Number(prepared(text).run(...values).changes),
  }
  return { database, sql, exec: (text) => void prepared(text).run(), count: () => count }
}

function openFile(path: string, readOnly: boolean): DatabaseSync {
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(path, { readOnly })
    database.exec('PRAGMA busy_timeout = 1000; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON')
    // A checkpoint copies every changed page once: with 16 MB of log instead of 4, frequently changed pages are copied
    // a quarter as often.
    if (!readOnly)
      database.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -32000',
      )
    return database
  } catch (error) {
    database?.close()
    throw openingError(path, error)
  }
}
