import { randomBytes } from 'node:crypto'

import pg from 'pg'

import { AgencyError, bug, refusal } from '../kernel/errors.ts'
import { redact } from '../secrets/redact.ts'
import { announce } from './announce.ts'
import { createChainKey } from './chain.ts'
import { CommitGroup } from './group.ts'
import { applyMigrations, checkSchema } from './migrate.ts'
import { answerOnce, claimOnce, guardNesting, outsideRequests, refuseNesting, runOnce } from './once.ts'
import type { Db, DbOptions, ReadTx, Sql, SqlRow, SqlValue, Stream, Tx } from './port.ts'
import { asTx, numbered, OpenTx } from './tx.ts'

export interface PostgresOptions extends DbOptions {
  url: string
  connections?: number
  /** Nothing is migrated, and a write is refused. */
  readOnly?: boolean
}

/** A number for pg_advisory_lock, the same in every process: only one of them migrates. */
const migrationLock = 7_246_091
/** Lock for appending to the global feed; see `lockFeed` in group.ts. */
const feedLock = 7_246_092
const channel = 'agency_events'
/**
 * Error codes of lost races, and how often the transaction is tried: a deadlock that the sorted streams could not
 * prevent, a serialisation failure, a unique key that another transaction inserted meanwhile (the second try finds that
 * row and can report it).
 */
const tries = new Map([
  ['40P01', 20],
  ['40001', 20],
  ['23505', 3],
])

export async function openPostgres(options: PostgresOptions): Promise<Db> {
  const chainKey = createChainKey(options.chainKey)
  const pool = new pg.Pool({ connectionString: options.url, max: options.connections ?? 10, types: { getTypeParser } })
  // A broken connection is replaced by the pool, and the query that used it fails. Without a listener the process
  // would end, also while the connection is checked out.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  // Our own commits wake listeners directly; a notification of them would wake every listener twice.
  const self = randomBytes(9).toString('base64url')
  const lockFeed = `SELECT pg_advisory_xact_lock(${feedLock}), pg_notify('${channel}', '${self}')`
  let closed = false
  let count = 0
  const sqlFor = (client: pg.PoolClient): Sql => createSql(client, () => count++)

  try {
    const client = await pool.connect()
    try {
      if (options.readOnly === true) await checkSchema(sqlFor(client))
      else await migrate(client, sqlFor(client), options.clock.at())
    } finally {
      client.release()
    }
  } catch (error) {
    await pool.end()
    throw error instanceof AgencyError ? error : unusable(error)
  }

  const listeners = new Set<(mayBeReady: boolean) => void>()
  const wake = (mayBeReady: boolean): void => {
    for (const listener of listeners) announce(() => listener(mayBeReady))
  }
  const stopListening = await listen(options, self, () => wake(true))

  async function transact<T>(streams: readonly Stream[], work: (open: OpenTx) => Promise<T>): Promise<T> {
    const client = await connect(pool)
    const sql = sqlFor(client)
    let broken: Error | undefined
    try {
      await sql.run('BEGIN')
      const group = new CommitGroup({ sql, chainKey, lockFeed: () => sql.run(lockFeed) })
      const heads = await group.lock(streams)
      const open = new OpenTx({ group, at: options.clock.at(), writable: true, heads })
      const value = await guardNesting(() => work(open))
      await group.seal()
      await commit(client)
      count++
      outsideRequests(() => {
        for (const callback of open.afterCommitCallbacks) announce(callback)
        if (open.wroteEvents) wake(open.mayBeReady)
      })
      return value
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => (broken = failure))
      throw error
    } finally {
      client.release(broken)
    }
  }

  const refuseClosed = (): void => {
    if (closed) throw refusal('stopping', 'the store is closed')
  }

  return {
    kind: 'postgres',
    async write<T>(streams: readonly Stream[], work: (tx: Tx) => Promise<T>): Promise<T> {
      refuseNesting()
      refuseClosed()
      if (options.readOnly === true) throw bug('a write to a store that was opened read-only')
      const once = claimOnce()
      const body = (open: OpenTx): Promise<T> =>
        once === undefined ? work(asTx(open)) : answerOnce(asTx(open), once, () => work(asTx(open)))
      for (let attempt = 1; ; attempt++) {
        try {
          return await transact(streams, body)
        } catch (error) {
          if (attempt >= triesAfter(error)) throw storeError(error)
        }
      }
    },
    async read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
      refuseNesting()
      refuseClosed()
      const client = await connect(pool)
      const sql = sqlFor(client)
      let broken: Error | undefined
      try {
        await sql.run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
        const group = new CommitGroup({ sql, chainKey })
        const view = new OpenTx({ group, at: options.clock.at(), writable: false })
        const value = await guardNesting(() => work(asTx(view)))
        await sql.run('COMMIT')
        return value
      } catch (error) {
        await client.query('ROLLBACK').catch((failure: Error) => (broken = failure))
        throw storeError(error)
      } finally {
        client.release(broken)
      }
    },
    once: runOnce,
    onCommit(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    statements: () => count,
    async close() {
      if (closed) return
      closed = true
      await stopListening()
      await pool.end()
    },
  }
}

/** Commits and checks the result: PostgreSQL answers a COMMIT after a failed statement with a rollback and no error. */
async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT')
  if (command !== 'COMMIT')
    throw bug('a statement failed and its error was swallowed, so the transaction was rolled back')
}

async function migrate(client: pg.PoolClient, sql: Sql, at: string): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [migrationLock])
  await applyMigrations('postgres', sql, at, async (text) => void (await client.query(text)))
  await client.query('SELECT pg_advisory_unlock($1)', [migrationLock])
}

function createSql(client: pg.PoolClient, counted: () => void): Sql {
  const query = async (text: string, values: readonly SqlValue[] = []): Promise<pg.QueryResult> => {
    counted()
    return client.query({ name: statementName(text), text: numbered(text), values: values as SqlValue[] })
  }
  return {
    get: async (text, values) => (await query(text, values)).rows[0] as SqlRow | undefined,
    all: async (text, values) => (await query(text, values)).rows as SqlRow[],
    run: async (text, values) => (await query(text, values)).rowCount ?? 0,
  }
}

const names = new Map<string, string>()
/**
 * Returns the name under which a statement is prepared, once per connection; short, because PostgreSQL cuts names at 63
 * bytes.
 */
function statementName(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `s${names.size}`
    names.set(text, name)
  }
  return name
}

/** Converts int8 and numeric, which arrive as text by default; our counts and sums are far below 2^53. */
const getTypeParser: typeof pg.types.getTypeParser = ((oid: number, format: 'text' | 'binary') =>
  oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser

/**
 * Listens on a separate connection, which is opened again when it breaks. One wake-up makes up for notifications missed
 * meanwhile; those that the network loses without an error are found by the engine's sweep.
 */
async function listen(options: PostgresOptions, self: string, wake: () => void): Promise<() => Promise<void>> {
  let client: pg.Client | null = null
  let closed = false
  let cancelRetry = (): void => {}
  async function connectOnce(): Promise<void> {
    const next = new pg.Client({ connectionString: options.url })
    client = next
    next.on('notification', ({ payload }) => payload !== self && wake())
    next.on('error', retry)
    try {
      await next.connect()
      await next.query(`LISTEN ${channel}`)
    } catch {
      await next.end().catch(() => {})
      retry()
    }
  }
  function retry(): void {
    cancelRetry()
    if (!closed) cancelRetry = options.clock.after(1_000, () => void connectOnce().then(wake))
  }
  await connectOnce()
  return async () => {
    closed = true
    cancelRetry()
    await client?.end().catch(() => {})
  }
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw unusable(error)
  }
}

const triesAfter = (error: unknown): number =>
  error instanceof Error && 'code' in error ? (tries.get(String(error.code)) ?? 1) : 1

function unusable(error: unknown): AgencyError {
  const reason = redact(
    error instanceof Error ? error.message || String((error as { code?: string }).code) : String(error),
  )
  return refusal('store_unusable', `PostgreSQL at DATABASE_URL cannot be used: ${reason}`, {
    hint: 'Check that the server runs and that DATABASE_URL names it; unset it to use the embedded store.',
    cause: error,
  })
}

function storeError(error: unknown): unknown {
  if (error instanceof AgencyError || !(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  if (code === '53100')
    return refusal('store_full', 'the disk of the PostgreSQL server is full; nothing was changed', { cause: error })
  if (/^(08|53|57P|ECONN|EPIPE)/.test(code) || /Connection terminated|not queryable/.test(error.message))
    return unusable(error)
  return error
}
