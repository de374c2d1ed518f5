import { column, columns, integer, json, optional, text, textOf } from '../db/columns.ts'
import { boundLimit } from '../db/limit.ts'
import type { ReadTx, SqlValue } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import type { Event, EventFilter, EventKind, EventLevel } from './contract.ts'

const selected =
  'position, stream, seq, at, kind, by, run_id, brief_id, attempt_id, tier, workstream, level, code, message, data'
const events = columns({
  position: integer,
  stream: text,
  seq: integer,
  at: text,
  kind: textOf<EventKind>(),
  by: text,
  runId: optional(text),
  briefId: optional(text),
  attemptId: optional(text),
  tier: optional(text),
  workstream: optional(text),
  level: textOf<EventLevel>(),
  code: optional(text),
  message: text,
  data: json<Record<string, unknown>>(),
})
const seqs = column('seq', integer)
const lastPositions = column('last', optional(integer))

export type EventQuery = Partial<Omit<EventFilter, 'limit'>> & {
  limit: number
  before?: number | undefined
  text?: string | undefined
}

export interface EventPage {
  events: Event[]
  /** The position to continue from: past every event examined, whether the filter accepted it or not. */
  after: number
}

/** Returns a page of a stream's events by its gap-free sequence. */
export async function readStreamPage(tx: ReadTx, stream: string, query: EventQuery): Promise<EventPage> {
  const found = await select(tx, query, ['stream = ?', 'seq > ?'], [stream, query.after ?? 0], 'seq')
  const last = found.at(-1)
  if (last !== undefined && (found.length === query.limit || !isFiltered(query)))
    return { events: found, after: last.seq }
  return { events: found, after: Math.max(query.after ?? 0, await newestSeq(tx, stream)) }
}

export const listStreamEvents = async (tx: ReadTx, stream: string, query: EventQuery): Promise<Event[]> =>
  (await readStreamPage(tx, stream, query)).events

export const newestSeq = async (tx: ReadTx, stream: string): Promise<number> =>
  (await seqs.first(sqlOf(tx), 'SELECT seq FROM streams WHERE stream = ?', [stream])) ?? 0

/**
 * Returns a page of all events. Positions rise in the order of the commits, so no event ever appears behind a reader.
 */
export async function readFeedPage(tx: ReadTx, query: EventQuery): Promise<EventPage> {
  const found = await select(tx, query, ['position > ?'], [query.after ?? 0], 'position')
  const last = found.at(-1)
  if (last !== undefined && (found.length === query.limit || !isFiltered(query)))
    return { events: found, after: last.position }
  const newest = await lastPositions.one(sqlOf(tx), 'SELECT MAX(position) AS last FROM events')
  return { events: found, after: Math.max(query.after ?? 0, newest ?? 0) }
}

/** Returns the newest page of all events, or of those before a position, oldest first. */
export const readNewest = async (tx: ReadTx, query: EventQuery): Promise<Event[]> =>
  (
    await select(
      tx,
      query,
      query.before === undefined ? [] : ['position < ?'],
      query.before === undefined ? [] : [query.before],
      'position DESC',
    )
  ).reverse()

const isFiltered = (query: EventQuery): boolean =>
  (query.kind !== undefined && query.kind.length > 0) || query.level === 'normal' || hasText(query)

const hasText = (query: EventQuery): query is EventQuery & { text: string } =>
  query.text !== undefined && query.text !== ''

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
  if (hasText(query)) {
    const wanted = query.text.toLowerCase()
    const columns = ['message', "COALESCE(code, '')", "REPLACE(kind, '_', ' ')"]
    // Both stores have REPLACE, and a bound pattern would be prepared again for each query.
    const contains = (column: string): string => `REPLACE(LOWER(${column}), ?, '') <> LOWER(${column})`
    conditions.push(`(${columns.map(contains).join(' OR ')})`)
    bound.push(...columns.map(() => wanted))
  }
  const clause = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  return events.all(sqlOf(tx), `SELECT ${selected} FROM events${clause} ORDER BY ${order} ${boundLimit}`, [
    ...bound,
    query.limit,
  ])
}
