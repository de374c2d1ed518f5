import { bug } from '../kernel/errors.ts'
import type { ChainKey } from './chain.ts'
import { column, integer } from './columns.ts'
import type { CommitGroup, StreamHead } from './group.ts'
import type { PendingRows } from './pending.ts'
import type { ReadTx, Sql, SqlRow, Stream, Tx } from './port.ts'

/**
 * Implementation of the opaque `Tx`. Only `db/`, `events/`, `jobs/` and stores access it, through the functions below.
 */
export class OpenTx {
  readonly at: string
  readonly group: CommitGroup
  readonly writable: boolean
  readonly afterCommitCallbacks: (() => void)[] = []
  wroteEvents = false
  /** True unless the transaction has declared that it makes no work ready. */
  mayBeReady = true
  /** Declared effects on other processes of a shared store. */
  readonly affected = new Set<'jobs' | 'agents'>()
  #heads: Map<Stream, StreamHead>

  constructor(options: { group: CommitGroup; at: string; writable: boolean; heads?: Map<Stream, StreamHead> }) {
    this.group = options.group
    this.at = options.at
    this.writable = options.writable
    this.#heads = options.heads ?? new Map()
  }

  get chainKey(): ChainKey {
    return this.group.chainKey
  }

  /** Changed rows that are not yet written; reading through `sql` flushes them first. */
  get rows(): PendingRows {
    return this.group.rows
  }

  get sql(): Sql {
    return this.group.sql
  }

  /** Runs statements that read only these tables, at once: rows of other tables may stay pending. */
  sqlFor(...tables: string[]): Sql {
    return tables.some((table) => this.group.rows.has(table)) ? this.group.sql : this.group.direct
  }

  afterCommit(callback: () => void): void {
    this.afterCommitCallbacks.push(callback)
  }

  makesNothingReady(): void {
    this.mayBeReady = false
  }

  affectsOthers(what: 'jobs' | 'agents'): void {
    this.affected.add(what)
  }

  async lock(stream: Stream): Promise<void> {
    if (this.#heads.has(stream)) return
    for (const locked of await this.group.lock([stream])) this.#heads.set(...locked)
  }

  head(stream: Stream): StreamHead {
    const head = this.#heads.get(stream)
    if (head === undefined) throw bug(`an event for the stream "${stream}", which this transaction has not locked`)
    return head
  }

  insertEvent(columns: SqlRow): void {
    this.wroteEvents = true
    this.group.insertEvent(columns)
  }
}

export const asTx = (open: OpenTx): Tx => open as unknown as Tx
export const openTx = (tx: ReadTx): OpenTx => tx as unknown as OpenTx
/** Returns the statement runner of a transaction; for stores only. */
export const sqlOf = (tx: ReadTx): Sql => openTx(tx).sql

/**
 * Allocates `count` integer ids from a row in the same transaction, so that a rolled back insert leaves no gap and an
 * import may raise the counter. Returns the first of them.
 */
export async function nextCounter(tx: Tx, name: string, count = 1): Promise<number> {
  const value = await counters.one(
    openTx(tx).sqlFor('counters'),
    'INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = counters.value + excluded.value RETURNING value',
    [name, count],
  )
  return value - count + 1
}

const counters = column('value', integer)

export async function raiseCounter(tx: Tx, name: string, atLeast: number): Promise<void> {
  await sqlOf(tx).run(
    'INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = CASE WHEN counters.value < excluded.value THEN excluded.value ELSE counters.value END',
    [name, atLeast],
  )
}

/** Replaces `?` by `$1, $2 …`; our statements have no question mark inside a literal. */
export function numbered(text: string): string {
  let index = 0
  return text.replace(/\?/g, () => `$${++index}`)
}
