import { type ChainKey, keyedHash } from '../db/chain.ts'
import type { Stream, Tx } from '../db/port.ts'
import { storable } from '../db/table.ts'
import { openTx } from '../db/tx.ts'
import { shorten } from '../kernel/text.ts'
import { redact, redactDeeply } from '../secrets/redact.ts'
import type { EventKind, EventLevel } from './contract.ts'

export interface NewEvent {
  kind: EventKind
  by: string
  runId?: string | null
  briefId?: string | null
  attemptId?: string | null
  tier?: string | null
  workstream?: string | null
  level?: EventLevel
  code?: string
  message: string
  data?: Record<string, unknown>
}

/** Appends to a stream that the transaction has locked. Almost every event is written through `change.ts` instead. */
export const appendEvent = async (tx: Tx, stream: Stream, event: NewEvent): Promise<number> =>
  addEvent(tx, stream, event, '[]')

/** Appends an event with the row changes that belong to it, as JSON; they are pending until the transaction is sealed. */
export function addEvent(tx: Tx, stream: Stream, event: NewEvent, changes: string): number {
  const open = openTx(tx)
  const head = open.head(stream)
  const seq = head.seq + 1
  const fields: ChainFields = {
    stream,
    seq,
    at: tx.at,
    kind: event.kind,
    by: event.by,
    run_id: event.runId ?? null,
    brief_id: event.briefId ?? null,
    attempt_id: event.attemptId ?? null,
    tier: event.tier ?? null,
    workstream: event.workstream ?? null,
    level: event.level ?? 'normal',
    code: event.code ?? null,
    message: storable(shorten(redact(event.message), 4_000)),
    data: event.data === undefined ? '{}' : JSON.stringify(redactDeeply(event.data)),
    changes,
  }
  const hash = chainHash(open.chainKey, head.hash, fields)
  open.insertEvent({ ...fields, hash })
  head.seq = seq
  head.hash = hash
  head.moved = true
  return seq
}

/** The hashed fields of an event, in the order of `eventColumns`. */
export interface ChainFields {
  stream: string
  seq: number
  at: string
  kind: string
  by: string
  run_id: string | null
  brief_id: string | null
  attempt_id: string | null
  tier: string | null
  workstream: string | null
  level: string
  code: string | null
  message: string
  data: string
  changes: string
}

/** Hashes every field prefixed by its length: no two events have the same text, and no escaping is needed. */
export function chainHash(key: ChainKey, previous: string, fields: ChainFields): string {
  let text = previous
  for (const name in fields) {
    const value = fields[name as keyof ChainFields]
    text += value === null ? '|-' : `|${String(value).length}:${value}`
  }
  return keyedHash(key, text)
}
