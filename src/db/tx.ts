import { createHmac } from 'node:crypto'

import { bug } from '../kernel/errors.ts'
import type { ReadTx, Sql, SqlValue, Stream, Tx } from './port.ts'

interface StreamHead {
  seq: number
  hash: string
  moved: boolean
}

/** What stands behind the opaque `Tx`. Only `db/`, `events/`, `jobs/` and stores reach it, through the functions below. */
export class OpenTx {
  readonly at: string
  readonly sql: Sql
  readonly chainKey: Uint8Array
  readonly writable: boolean
  readonly afterCommitCallbacks: (() => void)[] = []
  wroteEvents = false
  #heads: Map<Stream, StreamHead>

  constructor(options: {
    sql: Sql
    at: string
    chainKey: Uint8Array
    writable: boolean
    heads: Map<Stream, StreamHead>
  }) {
    this.sql = options.sql
    this.at = options.at
    this.chainKey = options.chainKey
    this.writable = options.writable
    this.#heads = options.heads
  }

  afterCommit(callback: () => void): void {
    this.afterCommitCallbacks.push(callback)
  }

  async hold(stream: Stream): Promise<void> {
    const taken = await takeStreams(this.sql, [stream], false)
    for (const [name, head] of taken) if (!this.#heads.has(name)) this.#heads.set(name, head)
  }

  head(stream: Stream): StreamHead {
    const head = this.#heads.get(stream)
    if (head === undefined) throw bug(`an event for "${stream}", which this transaction did not name`)
    return head
  }

  /** Writes the heads that moved, once, after the callback. */
  async seal(): Promise<void> {
    for (const [stream, head] of this.#heads) {
      if (!head.moved) continue
      const seal = sealOf(this.chainKey, stream, head.seq, head.hash)
      await this.sql.run('UPDATE streams SET seq = ?, hash = ?, seal = ? WHERE stream = ?', [
        head.seq,
        head.hash,
        seal,
        stream,
      ])
    }
  }
}

/**
 * The head carries a seal of its own, which no event row repeats: cutting off the newest events and
 * setting the head back to an older one needs a seal that is nowhere to be copied from.
 */
export const sealOf = (key: Uint8Array, stream: string, seq: number, hash: string): string =>
  createHmac('sha256', key).update(`head\n${stream}\n${seq}\n${hash}`).digest('base64url')

export const asTx = (open: OpenTx): Tx => open as unknown as Tx
export const openTx = (tx: ReadTx): OpenTx => tx as unknown as OpenTx
/** The statement runner of a transaction: for stores only. */
export const sqlOf = (tx: ReadTx): Sql => openTx(tx).sql

/** Reads, and on PostgreSQL locks, the heads of the named streams; sorted, so that two writers never wait for each other in a circle. */
export async function takeStreams(
  sql: Sql,
  streams: readonly Stream[],
  lock: boolean,
): Promise<Map<Stream, StreamHead>> {
  const heads = new Map<Stream, StreamHead>()
  for (const stream of [...new Set(streams)].sort()) {
    const select = `SELECT seq, hash FROM streams WHERE stream = ?${lock ? ' FOR UPDATE' : ''}`
    let row = await sql.get(select, [stream])
    if (row === undefined) {
      await sql.run(
        "INSERT INTO streams (stream, seq, hash, seal) VALUES (?, 0, '', '') ON CONFLICT (stream) DO NOTHING",
        [stream],
      )
      row = await sql.get(select, [stream])
    }
    if (row === undefined) throw bug(`the stream "${stream}" vanished`)
    heads.set(stream, { seq: row['seq'] as number, hash: row['hash'] as string, moved: false })
  }
  return heads
}

/** Integer ids: from a row in the same transaction, so that a rolled back insert leaves no gap and an import may raise it. */
export async function nextCounter(tx: Tx, name: string): Promise<number> {
  const row = await sqlOf(tx).get(
    'INSERT INTO counters (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value',
    [name],
  )
  return row?.['value'] as number
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
