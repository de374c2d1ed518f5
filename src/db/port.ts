import type { Clock } from '../kernel/clock.ts'

/** A stream orders the events of one thing and is the unit of locking. */
export type Stream = 'system' | `org:${number}` | `run:${string}` | `channel:${number}`

/** A value that a driver takes. No Date ever gets this far: node:sqlite shifts the parameters after one, silently. */
export type SqlValue = string | number | null

export type SqlRow = Record<string, SqlValue>

/**
 * Plain SQL with `?` placeholders, prepared once per text. Only stores get hold of it (`sqlOf`):
 * services see `Tx` and `ReadTx` as opaque.
 */
export interface Sql {
  get(text: string, values?: readonly SqlValue[]): Promise<SqlRow | undefined>
  all(text: string, values?: readonly SqlValue[]): Promise<SqlRow[]>
  /** How many rows it changed. */
  run(text: string, values?: readonly SqlValue[]): Promise<number>
}

declare const opaque: unique symbol

/** A consistent view of the store. Functions to be composed take it first. */
export interface ReadTx {
  readonly [opaque]: 'read' | 'write'
}

/** An open transaction that has locked the streams it named. */
export interface Tx extends ReadTx {
  readonly [opaque]: 'write'
  /** The transaction's time: everything it writes happened at once. */
  readonly at: string
  /** Locks a stream that was created inside the transaction; a stream that others may have locked is named at the start instead. */
  lock(stream: Stream): Promise<void>
  /** Runs once the transaction is durable, never before; a failed transaction's calls are dropped. */
  afterCommit(callback: () => void): void
}

export interface Db {
  readonly kind: 'sqlite' | 'postgres'
  /**
   * One transaction. The callback awaits nothing but `tx` and may run again after a lost race,
   * so it must not touch anything outside; a nested `write` throws instead of hanging for ever.
   */
  write<T>(streams: readonly Stream[], work: (tx: Tx) => Promise<T>): Promise<T>
  read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T>
  /**
   * Within `work`, the first `write` happens at most once per key, in this life or an earlier one:
   * its result is stored in the same transaction and handed out again. `digest` tells a repetition from a reuse.
   */
  once<T>(key: string, digest: string, work: () => Promise<T>): Promise<T>
  /** Called after any commit that wrote events: here, or (PostgreSQL) in another process. */
  onCommit(listener: () => void): () => void
  /** How many statements were run since the store was opened. */
  statements(): number
  close(): Promise<void>
}

export interface DbOptions {
  clock: Clock
  /** Seals every event; whoever lacks it cannot rewrite history unnoticed. */
  chainKey: Uint8Array
}
