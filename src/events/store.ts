import type { ReadTx, SqlRow, SqlValue } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import type { Event, EventFilter } from './contract.ts'

const columns =
  'position, stream, seq, at, kind, by, run_id, brief_id, attempt_id, tier, workstream, level, code, message, data'

export type EventQuery = Partial<Omit<EventFilter, 'limit'>> & { limit: number }

export interface EventPage {
  events: Event[]
  /** Where to read on: past everything that was looked at, whether the filter let it through or not. */
  after: number
}

/** A stream's own events, by its gap-free sequence. */
export async function readStreamPage(tx: ReadTx, stream: string, query: EventQuery): Promise<EventPage> {
  const events = await select(tx, query, ['stream = ?', 'seq > ?'], [stream, query.after ?? 0], 'seq')
  const last = events.at(-1)
  if (last !== undefined && (events.length === query.limit || !isFiltered(query))) return { events, after: last.seq }
  return { events, after: Math.max(query.after ?? 0, await newestSeq(tx, stream)) }
}

export const listStreamEvents = async (tx: ReadTx, stream: string, query: EventQuery): Promise<Event[]> =>
  (await readStreamPage(tx, stream, query)).events

export async function newestSeq(tx: ReadTx, stream: string): Promise<number> {
  const row = await sqlOf(tx).get('SELECT seq FROM streams WHERE stream = ?', [stream])
  return Number(row?.['seq'] ?? 0)
}

/** Everything. Positions rise in the order of the commits, so nothing ever appears behind a reader. */
export async function readFeedPage(tx: ReadTx, query: EventQuery): Promise<EventPage> {
  const events = await select(tx, query, ['position > ?'], [query.after ?? 0], 'position')
  const last = events.at(-1)
  if (last !== undefined && (events.length === query.limit || !isFiltered(query)))
    return { events, after: last.position }
  const newest = await sqlOf(tx).get('SELECT MAX(position) AS last FROM events')
  return { events, after: Math.max(query.after ?? 0, Number(newest?.['last'] ?? 0)) }
}

/** The newest page of everything, oldest first. */
export const readNewest = async (tx: ReadTx, query: EventQuery): Promise<Event[]> =>
  (await select(tx, query, [], [], 'position DESC')).reverse()

const isFiltered = (query: EventQuery): boolean =>
  (query.kind !== undefined && query.kind.length > 0) || query.level === 'normal'

async function select(
  tx: ReadTx,
  query: EventQuery,
  where: readonly string[],
  values: readonly SqlValue[],
  order: string,
): Promise<Event[]> {
  const conditions = [...where]
  const bound: SqlValue[] = [...values]
  if (query.kind !== undefined && query.kind.length > 0) {
    conditions.push(`kind IN (${query.kind.map(() => '?').join(', ')})`)
    bound.push(...query.kind)
  }
  if (query.level === 'normal') conditions.push("level = 'normal'")
  const clause = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  const rows = await sqlOf(tx).all(`SELECT ${columns} FROM events${clause} ORDER BY ${order} LIMIT ?`, [
    ...bound,
    query.limit,
  ])
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
