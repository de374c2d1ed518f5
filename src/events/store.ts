import type { ReadTx, SqlRow, SqlValue } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import type { Event, EventFilter } from './contract.ts'

const columns =
  'position, stream, seq, at, kind, by, run_id, brief_id, attempt_id, tier, workstream, level, code, message, data'

export type EventQuery = Partial<Omit<EventFilter, 'limit'>> & { limit: number }

/** A stream's own events, by its gap-free sequence. */
export function listStreamEvents(tx: ReadTx, stream: string, query: EventQuery): Promise<Event[]> {
  return select(tx, 'seq', query, ['stream = ?'], [stream])
}

/** Everything. `settledBelow` keeps a reader behind transactions that are still open (PostgreSQL). */
export function listAllEvents(tx: ReadTx, query: EventQuery, settledBelow: number | null): Promise<Event[]> {
  if (settledBelow === null) return select(tx, 'position', query, [], [])
  return select(tx, 'position', query, ['position < ?'], [settledBelow])
}

/**
 * Positions are handed out before commit, so a lower one can appear after a higher one. Nothing is read at or past the
 * lowest position of a transaction that is still open: `txid` of every event below it is decided.
 */
export async function settledPosition(tx: ReadTx, kind: 'sqlite' | 'postgres'): Promise<number | null> {
  if (kind === 'sqlite') return null
  const row = await sqlOf(tx).get(
    'SELECT MIN(position) AS open FROM events WHERE txid >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint',
  )
  return (row?.['open'] as number | null | undefined) ?? null
}

export async function lastPosition(tx: ReadTx): Promise<number> {
  const row = await sqlOf(tx).get('SELECT MAX(position) AS last FROM events')
  return Number(row?.['last'] ?? 0)
}

export async function newestSeq(tx: ReadTx, stream: string): Promise<number> {
  const row = await sqlOf(tx).get('SELECT seq FROM streams WHERE stream = ?', [stream])
  return Number(row?.['seq'] ?? 0)
}

async function select(
  tx: ReadTx,
  place: 'seq' | 'position',
  query: EventQuery,
  where: string[],
  values: SqlValue[],
): Promise<Event[]> {
  const conditions = [...where, `${place} > ?`]
  const bound: SqlValue[] = [...values, query.after ?? 0]
  if (query.kind !== undefined && query.kind.length > 0) {
    conditions.push(`kind IN (${query.kind.map(() => '?').join(', ')})`)
    bound.push(...query.kind)
  }
  if (query.level === 'normal') conditions.push("level = 'normal'")
  const rows = await sqlOf(tx).all(
    `SELECT ${columns} FROM events WHERE ${conditions.join(' AND ')} ORDER BY ${place} LIMIT ?`,
    [...bound, query.limit],
  )
  return rows.map(decodeEvent)
}

const decodeEvent = (row: SqlRow): Event =>
  ({
    position: row['position'],
    stream: row['stream'],
    seq: row['seq'],
    at: row['at'],
    kind: row['kind'],
    by: row['by'],
    runId: row['run_id'],
    briefId: row['brief_id'],
    attemptId: row['attempt_id'],
    tier: row['tier'],
    workstream: row['workstream'],
    level: row['level'],
    code: row['code'],
    message: row['message'],
    data: JSON.parse(row['data'] as string) as Record<string, unknown>,
  }) as Event
