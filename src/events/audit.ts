import { column, columns, integer, optional, text } from '../db/columns.ts'
import type { Db, ReadTx } from '../db/port.ts'
import { eventColumns, sealOf } from '../db/group.ts'
import { openTx, sqlOf } from '../db/tx.ts'
import { chainHash } from './append.ts'

export interface AuditResult {
  streams: number
  events: number
  /** One sentence per finding that names stream and sequence. */
  findings: string[]
}

/** Recomputes every hash to find events that were altered, removed, inserted, or truncated at the end of a stream. */
export const auditEvents = (db: Db): Promise<AuditResult> =>
  db.read(async (tx) => {
    const result: AuditResult = { streams: 0, events: 0, findings: [] }
    const all = await heads.all(sqlOf(tx), 'SELECT stream, seq, hash, seal FROM streams ORDER BY stream')
    for (const head of all) {
      result.streams++
      await auditStream(tx, head, result)
    }
    const orphans = await column('stream', text).all(
      sqlOf(tx),
      'SELECT DISTINCT stream FROM events WHERE stream NOT IN (SELECT stream FROM streams) ORDER BY stream',
    )
    for (const stream of orphans) result.findings.push(`${stream}: events without a head; the head was removed`)
    return result
  })

interface Head {
  stream: string
  seq: number
  hash: string
  seal: string
}
const heads = columns({ stream: text, seq: integer, hash: text, seal: text })

/** In the order of `eventColumns`, which the hash depends on. */
const hashedEvents = columns({
  stream: text,
  seq: integer,
  at: text,
  kind: text,
  by: text,
  run_id: optional(text),
  brief_id: optional(text),
  attempt_id: optional(text),
  tier: optional(text),
  workstream: optional(text),
  level: text,
  code: optional(text),
  message: text,
  data: text,
  changes: text,
  hash: text,
})

async function auditStream(tx: ReadTx, head: Head, result: AuditResult): Promise<void> {
  const key = openTx(tx).chainKey
  const { stream } = head
  let seq = 0
  let hash = ''
  for (;;) {
    const rows = await hashedEvents.all(
      sqlOf(tx),
      `SELECT ${eventColumns} FROM events WHERE stream = ? AND seq > ? ORDER BY seq LIMIT 1000`,
      [stream, seq],
    )
    for (const row of rows) {
      result.events++
      const { hash: stored, ...fields } = row
      if (fields.seq !== seq + 1) result.findings.push(`${stream} ${seq + 1}: removed`)
      else if (stored !== chainHash(key, hash, fields)) result.findings.push(`${stream} ${seq + 1}: altered`)
      seq = fields.seq
      hash = stored
    }
    if (rows.length < 1000) break
  }
  if (head.seq !== seq || head.hash !== hash)
    result.findings.push(`${stream} ${seq + 1}: truncated; the stream should end at ${head.seq}`)
  else if (head.seal !== sealOf(key, stream, seq, hash))
    result.findings.push(`${stream}: the head is not sealed by this installation's key`)
}
