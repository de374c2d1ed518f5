import { randomBytes } from 'node:crypto'

import pg from 'pg'

import { isoAt, sleep } from '../kernel/clock.ts'
import { AgencyError, bug, refusal } from '../kernel/errors.ts'
import { announce } from './announce.ts'
import { createChainKey } from './chain.ts'
import { CommitGroup, serverTime } from './group.ts'
import { applyMigrations, checkSchema } from './migrate.ts'
import { answerOnce, claimOnce, guardNesting, outsideRequests, refuseNesting, runOnce } from './once.ts'
import type { Commit, Db, DbOptions, ReadTx, Sql, SqlRow, SqlValue, Stream, Tx } from './port.ts'
import { notifyText, openApart, payloadOf } from './postgres-apart.ts'
import { isRefusedByServer, isStale, storeError, troubleOf, unknownOutcome, unusable } from './postgres-errors.ts'
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
const lockFeedText = `SELECT pg_advisory_xact_lock(${feedLock}), ${notifyText}`
/**
 * Lost races are tried again at once: a deadlock that the sorted streams could not prevent, a serialisation failure; a
 * unique key that another transaction inserted meanwhile (the second try finds that row and can report it).
 */
const raceTries = 20
const duplicateTries = 3
/** Waits before a transaction is tried again that trouble of the server has undone; the callers go on after that. */
const passingWaitsMs = [0, 100, 500, 2_000]

export async function openPostgres(options: PostgresOptions): Promise<Db> {
  const chainKey = createChainKey(options.chainKey)
  const { clock } = options
  const config: pg.ClientConfig = { connectionString: options.url, keepAlive: true, types: { getTypeParser } }
  const pool = new pg.Pool({ ...config, max: options.connections ?? 10 })
  // A broken connection is replaced by the pool, and the query that used it fails. Without a listener the process
  // would end, also while the connection is checked out.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  // Our own commits wake listeners directly; a notification of them would wake every listener twice.
  const self = randomBytes(9).toString('base64url')
  let closed = false
  let count = 0
  const sqlFor = (client: pg.ClientBase): Sql => createSql(client, () => count++)
  const timeOf = (ms: number): string => options.serverClock?.at() ?? isoAt(ms)

  try {
    const client = await pool.connect()
    try {
      if (options.readOnly === true) await checkSchema(sqlFor(client))
      else await migrate(client, sqlFor(client), clock.at(), () => consult(client))
    } finally {
      client.release()
    }
  } catch (error) {
    await pool.end()
    throw error instanceof AgencyError ? error : unusable(error)
  }

  const listeners = new Set<(commit: Commit) => void>()
  const call = (commit: Commit): void => {
    for (const listener of listeners) announce(() => listener(commit))
  }
  const apart = await openApart({ config, clock, sender: self }, call)

  async function begin(client: pg.ClientBase, text: string): Promise<{ nowMs: number; transaction: string }> {
    count++
    // The id of a transaction tells later whether it was committed, if the answer to its COMMIT is lost.
    const isReading = text !== 'BEGIN'
    const answers = (await client.query(
      `${text}; SELECT ${serverTime}${isReading ? '' : ', pg_current_xact_id()::text AS transaction'}`,
    )) as unknown as pg.QueryResult[]
    const row = answers[1]?.rows[0] as { now_ms: string | number; transaction?: string }
    return { nowMs: Number(row.now_ms), transaction: row.transaction ?? '' }
  }

  /** Lets the caller read a store of an older schema. A refusal ends the connection, and the transaction with it. */
  async function consult(client: pg.ClientBase): Promise<void> {
    const { nowMs } = await begin(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const group = new CommitGroup({ sql: sqlFor(client), chainKey })
    await options.beforeMigration?.(asTx(new OpenTx({ group, at: timeOf(nowMs), writable: false })))
    await sqlFor(client).run('COMMIT')
  }

  async function transact<T>(
    client: pg.ClientBase,
    streams: readonly Stream[],
    work: (open: OpenTx) => Promise<T>,
    findOut: (transaction: string) => Promise<Outcome> = findOutcome,
  ): Promise<T> {
    const sql = sqlFor(client)
    const { nowMs, transaction } = await begin(client, 'BEGIN')
    const lockFeed = () => sql.run(lockFeedText, [payloadOf(self, told())])
    const group = new CommitGroup({ sql, chainKey, lockFeed })
    const heads = await group.lock(streams)
    const open = new OpenTx({ group, at: timeOf(group.lockedAtMs ?? nowMs), writable: true, heads })
    const told = () => ({
      mayBeReady: open.mayBeReady,
      jobs: open.affected.has('jobs'),
      agents: open.affected.has('agents'),
    })
    const value = await guardNesting(() => work(open))
    await group.seal()
    count++
    await commit(client, () => findOut(transaction))
    outsideRequests(() => {
      for (const callback of open.afterCommitCallbacks) announce(callback)
      if (open.wroteEvents) call({ ...told(), isForeign: false })
    })
    return value
  }

  /** Commits, and if the answer is lost, asks the server on another connection whether the commit took place. */
  async function commit(client: pg.ClientBase, findOut: () => Promise<Outcome>): Promise<void> {
    let command
    try {
      ;({ command } = await client.query('COMMIT'))
    } catch (error) {
      if (isRefusedByServer(error)) throw error
      const outcome = await findOut().catch(() => 'unknown')
      if (outcome === 'unknown') throw unknownOutcome(error)
      if (outcome === 'aborted') throw error
      return
    }
    // PostgreSQL answers a COMMIT after a failed statement with a rollback and no error.
    if (command !== 'COMMIT')
      throw bug('a statement failed and its error was swallowed, so the transaction was rolled back')
  }

  async function findOutcome(transaction: string): Promise<Outcome> {
    // The server may still be working on the COMMIT, or not have noticed yet that the connection has ended.
    for (const waitMs of [0, 0, 0, 0, 50, 100, 200, 400, 800, 1_600, 3_200]) {
      if (waitMs > 0) await sleep(clock, waitMs)
      // Not through the pool, all of whose connections may wait for such an answer.
      const { rows } = await apart.run((client) =>
        client.query<{ status: string | null }>('SELECT pg_xact_status($1::xid8) AS status', [transaction]),
      )
      const status = rows[0]?.status
      if (status === 'committed' || status === 'aborted') return status
      // The server has forgotten transactions of long ago.
      if (status === null) return 'unknown'
    }
    return 'unknown'
  }

  /** Runs work on a connection of the pool, which is replaced if the work has broken it. */
  async function onPool<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await connect(pool)
    let broken: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => (broken = failure))
      if (isStale(error)) broken ??= error as Error
      throw error
    } finally {
      client.release(broken)
    }
  }

  /**
   * Runs a transaction again that was not committed: at once after a lost race, after a while if the server was in
   * trouble. One whose outcome is unknown is never run again.
   */
  async function retried<T>(transaction: () => Promise<T>): Promise<T> {
    let troubles = 0
    for (let tries = 1; ; tries++) {
      try {
        return await transaction()
      } catch (error) {
        const trouble = troubleOf(error)
        if (trouble === 'race' && tries < raceTries) continue
        if (trouble === 'duplicate' && tries < duplicateTries) continue
        const waitMs = trouble === 'passing' && !closed ? passingWaitsMs[troubles++] : undefined
        if (waitMs === undefined) throw storeError(error)
        if (waitMs > 0) await sleep(clock, waitMs)
      }
    }
  }

  const refuseClosed = (): void => {
    if (closed) throw refusal('stopping', 'the store is closed')
  }
  const refuseReadOnly = (): void => {
    if (options.readOnly === true) throw bug('a write to a store that was opened read-only')
  }

  return {
    kind: 'postgres',
    isShared: true,
    async write<T>(streams: readonly Stream[], work: (tx: Tx) => Promise<T>): Promise<T> {
      refuseNesting()
      refuseClosed()
      refuseReadOnly()
      const once = claimOnce()
      const body = (open: OpenTx): Promise<T> =>
        once === undefined ? work(asTx(open)) : answerOnce(asTx(open), once, () => work(asTx(open)))
      return retried(() => onPool((client) => transact(client, streams, body)))
    },
    async read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
      refuseNesting()
      refuseClosed()
      return retried(() =>
        onPool(async (client) => {
          const { nowMs } = await begin(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
          const group = new CommitGroup({ sql: sqlFor(client), chainKey })
          const view = new OpenTx({ group, at: timeOf(nowMs), writable: false })
          const value = await guardNesting(() => work(asTx(view)))
          await sqlFor(client).run('COMMIT')
          return value
        }),
      )
    },
    async writeApart(work) {
      refuseNesting()
      refuseClosed()
      refuseReadOnly()
      try {
        return await apart.run((client) => transact(client, [], (open) => work(asTx(open)), nothingToAsk))
      } catch (error) {
        throw storeError(error)
      }
    },
    once: runOnce,
    onCommit(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    recheck: () => call({ mayBeReady: false, jobs: false, agents: false, isForeign: true }),
    statements: () => count,
    async close() {
      if (closed) return
      closed = true
      await apart.close()
      await pool.end()
    },
  }
}

type Outcome = 'committed' | 'aborted' | 'unknown'

/** The connection that would be asked is the one that was lost. */
const nothingToAsk = async (): Promise<Outcome> => 'unknown'

async function migrate(client: pg.PoolClient, sql: Sql, at: string, before: () => Promise<void>): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [migrationLock])
  await applyMigrations('postgres', sql, at, async (text) => void (await client.query(text)), before)
  await client.query('SELECT pg_advisory_unlock($1)', [migrationLock])
}

function createSql(client: pg.ClientBase, counted: () => void): Sql {
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

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw unusable(error)
  }
}
