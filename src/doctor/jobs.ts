import { columns, integer, json, optional, text, textOf } from '../db/columns.ts'
import type { ReadTx } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import { aboutJob, knownKinds } from '../jobs/about.ts'
import type { Json } from '../kernel/json.ts'
import { counted } from '../kernel/amounts.ts'
import { shorten } from '../kernel/text.ts'
import { redact } from '../secrets/redact.ts'
import { type Finding, ok, warn } from './finding.ts'

const atMost = 10
/** The schema that added lanes. */
const lanesSince = 8

/** Reports each job that was given up, and the kinds of waiting jobs that this version does not know. */
export async function examineJobs(tx: ReadTx, schema: number): Promise<Finding[]> {
  const sql = sqlOf(tx)
  const counts = await columns({ status: textOf<'waiting' | 'dead'>(), kind: text, count: integer }).all(
    sql,
    'SELECT status, kind, COUNT(*) AS count FROM jobs GROUP BY status, kind ORDER BY kind',
  )
  const dead = await columns({
    id: text,
    kind: text,
    lane: optional(text),
    payload: json<Json>(),
    dueAt: text,
    tries: integer,
    error: optional(text),
  }).all(
    sql,
    `SELECT id, kind, ${schema < lanesSince ? 'NULL AS lane' : 'lane'}, payload, due_at, tries, error FROM jobs
WHERE status = 'dead' ORDER BY created_at, id LIMIT ${atMost}`,
  )
  const findings = dead.map((job) =>
    warn(
      'jobs',
      `${job.kind}: ${aboutJob(job)} was given up after ${job.tries === 1 ? 'one try' : `${job.tries} tries`} at ${job.dueAt}: ${oneLine(job.error ?? 'no reason was recorded')}`,
      `Remove the cause, then run "agency jobs retry ${job.id}".`,
    ),
  )
  const deadCount = counts.reduce((sum, each) => sum + (each.status === 'dead' ? each.count : 0), 0)
  if (deadCount > atMost)
    findings.push(warn('jobs', `${deadCount - atMost} more were given up`, 'Run "agency jobs" to list them.'))
  for (const { kind, count } of counts.filter(({ status, kind }) => status === 'waiting' && !knownKinds.includes(kind)))
    findings.push(
      warn(
        'jobs',
        `${counted(count, 'job')} of kind "${oneLine(kind)}" waiting: this version does not know the kind`,
        'Use the version of Agency that added it; until then they stay as they are.',
      ),
    )
  return findings.length === 0 ? [ok('jobs', 'no job was given up')] : findings
}

const oneLine = (text: string): string => shorten(redact(text).replace(/\s+/g, ' ').trim(), 300)
