import type { Clock } from '../kernel/clock.ts'

/** A stream orders the events of one thing and is the unit of locking. */
export type Stream = 'system' | `org:${number}` | `run:${string}` | `channel:${number}`

/**
 * A value that both drivers accept. A Date must never get this far: node:sqlite silently shifts the parameters after
 * one.
 */
export type SqlValue = string | number | null

export type SqlRow = Record<string, SqlValue>

/**
 * Plain SQL with `?` placeholders, prepared once per text. Only stores have access to it (`sqlOf`):
 * services see `Tx` and `ReadTx` as opaque.
 */
export interface Sql {
  get(text: string, values?: readonly SqlValue[]): Promise<SqlRow | undefined>
  all(text: string, values?: readonly SqlValue[]): Promise<SqlRow[]>
  /** Returns the number of changed rows. */
  run(text: string, values?: readonly SqlValue[]): Promise<number>
}

declare const opaque: unique symbol

/** A consistent snapshot of the store. Functions that are to be composed take it as their first parameter. */
export interface ReadTx {
  readonly [opaque]: 'read' | 'write'
  /**
   * The time of the store, shared by everything that a transaction writes: that of the PostgreSQL server, so that all
   * processes agree whatever their clocks show; with SQLite that of this process.
   */
  readonly at: string
}

/** An open transaction that has locked the streams it named. */
export interface Tx extends ReadTx {
  readonly [opaque]: 'write'
  /**
   * Locks a stream that was created inside the transaction; a stream that others may have locked is named at the start
   * instead.
   */
  lock(stream: Stream): Promise<void>
  /** Calls back once the transaction is durable, never before; the callbacks of a failed transaction are dropped. */
  afterCommit(callback: () => void): void
  /** Declares that the transaction makes no work ready, so that the engine need not look for any after its commit. */
  makesNothingReady(): void
  /**
   * Tells the other processes of a shared store after the commit that a job is due, or that agents or checks of theirs
   * may have to be interrupted.
   */
  affectsOthers(what: 'jobs' | 'agents'): void
}

/** The parts of the store that a commit may have changed, as far as they wake anything. */
export interface Commit {
  /** False if every transaction of the commit has declared that it makes no work ready. */
  readonly mayBeReady: boolean
  /** A job became due. */
  readonly jobs: boolean
  /** Agents or checks may have to be interrupted. */
  readonly agents: boolean
  /** The commit of another process. */
  readonly isForeign: boolean
}

export interface Db {
  readonly kind: 'sqlite' | 'postgres'
  /** True if other processes may use the store at the same time. */
  readonly isShared: boolean
  /**
   * Runs one transaction. The callback awaits nothing but `tx` and may run again after a lost race,
   * so it must have no other side effects; a nested `write` throws instead of deadlocking.
   */
  write<T>(streams: readonly Stream[], work: (tx: Tx) => Promise<T>): Promise<T>
  read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T>
  /**
   * Runs a short transaction without streams or events at once, on a connection that nothing else uses: writers that
   * wait for a lock cannot delay a heartbeat. It is not tried again.
   */
  writeApart<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs `work`, whose first `write` happens at most once per key, across restarts: its result is stored in the same
   * transaction and returned again. `digest` distinguishes a repeated request from a reused key.
   */
  once<T>(key: string, digest: string, work: () => Promise<T>): Promise<T>
  /**
   * Registers a listener that is called after any commit that wrote events: here, or (PostgreSQL) in another process.
   */
  onCommit(listener: (commit: Commit) => void): () => void
  /** Calls every listener, for those that follow events: a notification of another process may have been lost. */
  recheck(): void
  /** Returns the number of statements run since the store was opened. */
  statements(): number
  close(): Promise<void>
}

export interface DbOptions {
  clock: Clock
  /** Seals every event; history cannot be rewritten unnoticed without it. */
  chainKey: Uint8Array
  /** Replaces the time of the PostgreSQL server, for tests. */
  serverClock?: Pick<Clock, 'at'> | undefined
  /** Reads a shared store of an older schema before it is migrated, and may refuse it: it then stays as it is. */
  beforeMigration?: ((tx: ReadTx) => Promise<void>) | undefined
}
