import { column, columns, integer, json, optional, text, textOf } from '../db/columns.ts'
import { boundLimit } from '../db/limit.ts'
import type { ReadTx, SqlValue, Tx } from '../db/port.ts'
import { openTx, sqlOf } from '../db/tx.ts'
import type { JobId } from '../kernel/ids.ts'
import type { Json } from '../kernel/json.ts'

/** A durable wake-up. Rows of jobs are operational: no event records them and no replay rebuilds them. */
export interface Job {
  id: JobId
  kind: string
  /** At most one job of a kind waits under the same key. */
  key: string | null
  /** Jobs of one lane run one after the other, in the order in which they were added. */
  lane: string | null
  payload: Json
  dueAt: string
  /** A cron line in UTC; the job never ends, it is rescheduled. */
  schedule: string | null
  /** The number of failures. A run that was killed does not count. */
  tries: number
  maxTries: number
  error: string | null
  createdAt: string
}

/** A job as the table holds it. */
export interface JobRow extends Job {
  /** `dead`: it was given up at `dueAt`. */
  status: 'waiting' | 'dead'
}

const jobs = columns({
  id: textOf<JobId>(),
  kind: text,
  key: optional(text),
  lane: optional(text),
  payload: json<Json>(),
  dueAt: text,
  schedule: optional(text),
  tries: integer,
  maxTries: integer,
  error: optional(text),
  createdAt: text,
  status: textOf<JobRow['status']>(),
})
const ids = column('id', text)
const dueTimes = column('due_at', text)

const lastInLane = `COALESCE((SELECT MAX(last.seq) FROM jobs AS last WHERE last.lane = ? AND last.holds_lane = 1), 0)`

const insertWith = (
  place: string,
): string => `INSERT INTO jobs (id, kind, key, payload, due_at, schedule, tries, max_tries, status, error, created_at, lane, seq, holds_lane)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, ${place})
ON CONFLICT (kind, key) WHERE key IS NOT NULL AND status = 'waiting' DO UPDATE SET
  due_at = CASE WHEN jobs.claimed_by IS NULL AND jobs.tries = 0 AND excluded.due_at < jobs.due_at
    THEN excluded.due_at ELSE jobs.due_at END,
  again_at = CASE WHEN jobs.claimed_by IS NOT NULL AND (jobs.again_at IS NULL OR excluded.due_at < jobs.again_at)
    THEN excluded.due_at ELSE jobs.again_at END
RETURNING id`
const insert = insertWith('NULL, 0, 0')
const insertInLane = insertWith(`?, ${lastInLane} + 1, 1`)

/**
 * Inserts a job, at the end of its lane; returns false when one already waits under the key. Then the earlier of the two
 * times applies, and a job that is running runs once more: it may have read before the new state was written. A failed
 * job keeps its backoff.
 */
export async function insertJob(tx: Tx, job: Job): Promise<boolean> {
  const values = [
    job.id,
    job.kind,
    job.key,
    JSON.stringify(job.payload),
    job.dueAt,
    job.schedule,
    job.tries,
    job.maxTries,
    job.error,
    job.createdAt,
  ]
  const sql = openTx(tx).sqlFor('jobs')
  const id =
    job.lane === null
      ? await ids.one(sql, insert, values)
      : await ids.one(sql, insertInLane, [...values, job.lane, job.lane])
  return id === job.id
}

export interface Claim {
  kinds: readonly string[]
  worker: string
  at: string
  until: string
  limit: number
}

/**
 * True for a job that no other one of its lane keeps waiting: an earlier one, or one that is claimed. A claimed job stays
 * the first of its lane, even if a transaction that began before it commits an earlier one now.
 */
const isFirstInLane = `(lane IS NULL OR claimed_by IS NOT NULL OR (
    NOT EXISTS (SELECT 1 FROM jobs AS earlier WHERE earlier.lane = jobs.lane AND earlier.holds_lane = 1
      AND (earlier.seq, earlier.id) < (jobs.seq, jobs.id))
    AND NOT EXISTS (SELECT 1 FROM jobs AS claimed WHERE claimed.lane = jobs.lane AND claimed.claimed_by IS NOT NULL)))`

/**
 * Claims jobs that are due and free, or claimed by a worker with an expired lease, and first in their lanes; oldest
 * first.
 */
export async function claimJobs(tx: Tx, store: 'sqlite' | 'postgres', claim: Claim): Promise<Job[]> {
  const claimed = await jobs.all(
    sqlOf(tx),
    `WITH due AS MATERIALIZED (
  SELECT id FROM jobs
  WHERE status = 'waiting' AND due_at <= ? AND (claimed_until IS NULL OR claimed_until <= ?) AND kind IN (${marks(claim.kinds)})
    AND ${isFirstInLane}
  ORDER BY due_at, id ${boundLimit}${store === 'postgres' ? ' FOR UPDATE SKIP LOCKED' : ''}
)
UPDATE jobs SET claimed_by = ?, claimed_until = ? WHERE id IN (SELECT id FROM due) RETURNING *`,
    [claim.at, claim.at, ...claim.kinds, claim.limit, claim.worker, claim.until],
  )
  return claimed.sort((a, b) => (a.dueAt === b.dueAt ? compare(a.id, b.id) : compare(a.dueAt, b.dueAt)))
}

/** Returns the time at which the next free job is due that no other one keeps waiting. */
export async function nextDueAt(tx: ReadTx, kinds: readonly string[]): Promise<string | null> {
  const dueAt = await dueTimes.first(
    sqlOf(tx),
    `SELECT due_at FROM jobs WHERE status = 'waiting' AND claimed_by IS NULL AND kind IN (${marks(kinds)}) AND ${isFirstInLane} ORDER BY due_at LIMIT 1`,
    [...kinds],
  )
  return dueAt ?? null
}

export async function renewClaims(tx: Tx, worker: string, ids: readonly JobId[], until: string): Promise<void> {
  for (const id of ids)
    await sqlOf(tx).run('UPDATE jobs SET claimed_until = ? WHERE id = ? AND claimed_by = ?', [until, id, worker])
}

const free = 'claimed_by = NULL, claimed_until = NULL'

/** Releases a job after a run without a result: it is due again at once, and the run does not count as a try. */
export async function releaseJob(tx: Tx, id: JobId, worker: string): Promise<void> {
  await sqlOf(tx).run(`UPDATE jobs SET ${free}, again_at = NULL WHERE id = ? AND claimed_by = ?`, [id, worker])
}

/** Releases the jobs that earlier boots of the same worker left behind. */
export async function releaseJobsOf(tx: Tx, worker: string): Promise<void> {
  const [id = ''] = worker.split(':')
  await sqlOf(tx).run(`UPDATE jobs SET ${free}, again_at = NULL WHERE claimed_by = ? OR substr(claimed_by, 1, ?) = ?`, [
    id,
    id.length + 1,
    `${id}:`,
  ])
}

/**
 * Completes a job: deletes the row, or reschedules it to `nextAt` or to the time requested while it ran, at the end of
 * its lane. Returns the time at which it is due again. This and the functions below do nothing when another worker has taken the claim.
 */
export async function finishJob(tx: Tx, id: JobId, worker: string, nextAt: string | null): Promise<string | null> {
  const sql = sqlOf(tx)
  if (nextAt === null) {
    const removed = await sql.run('DELETE FROM jobs WHERE id = ? AND claimed_by = ? AND again_at IS NULL', [id, worker])
    if (removed === 1) return null
  }
  const dueAt = await dueTimes.first(
    sql,
    `UPDATE jobs SET due_at = COALESCE(again_at, ?, due_at), again_at = NULL, tries = 0, error = NULL, ${free},
  seq = CASE WHEN lane IS NULL THEN 0 ELSE 1 + (SELECT MAX(last.seq) FROM jobs AS last WHERE last.lane = jobs.lane AND last.holds_lane = 1) END
WHERE id = ? AND claimed_by = ? RETURNING due_at`,
    [nextAt, id, worker],
  )
  return dueAt ?? null
}

export interface Failure {
  tries: number
  error: string
}

export async function retryJob(tx: Tx, id: JobId, worker: string, dueAt: string, failure: Failure): Promise<void> {
  await sqlOf(tx).run(
    `UPDATE jobs SET due_at = ?, again_at = NULL, tries = ?, error = ?, ${free} WHERE id = ? AND claimed_by = ?`,
    [dueAt, failure.tries, failure.error, id, worker],
  )
}

/**
 * Gives up a job and keeps its row for inspection, due at the time of this; the later jobs of its lane go on unless it holds them. `requestedAt`
 * is the time requested for another run while it ran.
 */
export async function giveUpJob(
  tx: Tx,
  id: JobId,
  worker: string,
  failure: Failure,
  { holdsLane, at }: { holdsLane: boolean; at: string },
): Promise<{ requestedAt: string | null } | null> {
  const requestedAt = await column('again_at', optional(text)).first(
    sqlOf(tx),
    `UPDATE jobs SET status = 'dead', due_at = ?, tries = ?, error = ?, holds_lane = CASE WHEN lane IS NULL THEN 0 ELSE CAST(? AS INTEGER) END, ${free}
WHERE id = ? AND claimed_by = ? RETURNING again_at`,
    [at, failure.tries, failure.error, holdsLane ? 1 : 0, id, worker],
  )
  return requestedAt === undefined ? null : { requestedAt }
}

export const listDeadJobs = (tx: ReadTx, limit: number): Promise<JobRow[]> =>
  jobs.all(sqlOf(tx), `SELECT * FROM jobs WHERE status = 'dead' ORDER BY created_at, id ${boundLimit}`, [limit])

export const countDeadJobs = (tx: ReadTx): Promise<number> =>
  column('count', integer).one(sqlOf(tx), "SELECT COUNT(*) AS count FROM jobs WHERE status = 'dead'")

/** Lists the jobs that were given up, that failed at their last try, or whose kind is not among the known ones. */
export async function listTroubledJobs(
  tx: ReadTx,
  kinds: readonly string[],
  limit: number,
): Promise<{ jobs: JobRow[]; total: number }> {
  const troubled = `FROM jobs WHERE status = 'dead' OR error IS NOT NULL OR kind NOT IN (${marks(kinds)})`
  return {
    jobs: await jobs.all(sqlOf(tx), `SELECT * ${troubled} ORDER BY status, created_at, id ${boundLimit}`, [
      ...kinds,
      limit,
    ]),
    total: await column('count', integer).one(sqlOf(tx), `SELECT COUNT(*) AS count ${troubled}`, [...kinds]),
  }
}

/** The effect of a retry. `joined`: another job already waits under the key, and `job` is that one. */
export interface Retried {
  outcome: 'retried' | 'joined' | 'not_dead'
  job: JobRow
}

/**
 * Makes a job that was given up due again, with all its tries and at its place in the lane. If another one waits under
 * its key meanwhile, that one does the work and the row is removed. Returns null if there is no job of this id.
 */
export async function reviveJob(tx: Tx, id: JobId, at: string): Promise<Retried | null> {
  const sql = sqlOf(tx)
  // A job that a worker gives up between two of these statements is found by the next round.
  for (;;) {
    const revived = await jobs.first(
      sql,
      `UPDATE jobs SET status = 'waiting', tries = 0, due_at = ?, again_at = NULL, holds_lane = CASE WHEN lane IS NULL THEN 0 ELSE 1 END
WHERE id = ? AND status = 'dead' AND NOT EXISTS (
  SELECT 1 FROM jobs AS other WHERE other.kind = jobs.kind AND other.key = jobs.key AND other.status = 'waiting')
RETURNING *`,
      [at, id],
    )
    if (revived !== undefined) return { outcome: 'retried', job: revived }
    const job = await jobs.first(sql, 'SELECT * FROM jobs WHERE id = ?', [id])
    if (job === undefined) return null
    if (job.status !== 'dead') return { outcome: 'not_dead', job }
    const other = await jobs.first(sql, "SELECT * FROM jobs WHERE kind = ? AND key = ? AND status = 'waiting'", [
      job.kind,
      job.key,
    ])
    if (other === undefined) continue
    await sql.run('DELETE FROM jobs WHERE id = ?', [id])
    return { outcome: 'joined', job: other }
  }
}

const marks = (values: readonly SqlValue[]): string => values.map(() => '?').join(', ')
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
