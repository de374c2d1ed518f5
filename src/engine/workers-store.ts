import { column, columns, integer, optional, text } from '../db/columns.ts'
import { sealOf } from '../db/group.ts'
import type { Db, ReadTx, Tx } from '../db/port.ts'
import { openTx, sqlOf } from '../db/tx.ts'
import { isoAt } from '../kernel/clock.ts'

/** A worker without a heartbeat for `deadAfterMs` is dead; it gives its work up at `fencedAfterMs`, well before that. */
export const heartbeatMs = 10_000
export const fencedAfterMs = 45_000
const deadAfterMs = 60_000

/** The process that uses a store, and the home that it owns. */
export interface WorkerIdentity {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly home: string
  /** The same only for the same directory on the same machine with the same key. */
  readonly fingerprint: string
}

/** A worker as other processes see it. */
export interface KnownWorker extends WorkerIdentity {
  readonly boot: number
  readonly startedAt: string
  readonly heartbeatAt: string
  readonly stoppedAt: string | null
}

/**
 * Registers this process and returns `<id>:<boot>`; every start of the same worker has a higher boot number, which ends
 * the claims of earlier ones.
 */
export async function registerWorker(tx: Tx, worker: WorkerIdentity): Promise<string> {
  const boot = await column('boot', integer).one(
    sqlOf(tx),
    `INSERT INTO workers (id, boot, host, pid, home, fingerprint, started_at, heartbeat_at) VALUES (?, 1, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET boot = workers.boot + 1, host = excluded.host, pid = excluded.pid, home = excluded.home, fingerprint = excluded.fingerprint, started_at = excluded.started_at, heartbeat_at = excluded.heartbeat_at, stopped_at = NULL
RETURNING boot`,
    [worker.id, worker.host, worker.pid, worker.home, worker.fingerprint, tx.at, tx.at],
  )
  return `${worker.id}:${boot}`
}

/** Resolves to false if another process has registered under the same id: this one must not go on. */
export const heartbeat = (db: Db, worker: string): Promise<boolean> =>
  db.writeApart(async (tx) => {
    const changed = await sqlOf(tx).run('UPDATE workers SET heartbeat_at = ? WHERE id = ? AND boot = ?', [
      tx.at,
      ...partsOf(worker),
    ])
    return changed === 1
  })

/** Reports whether another process has registered under the id of this one. */
export const isReplaced = async (tx: ReadTx, worker: string): Promise<boolean> =>
  (await column('id', text).first(sqlOf(tx), 'SELECT id FROM workers WHERE id = ? AND boot > ?', partsOf(worker))) !==
  undefined

/** Records that a worker has ended by itself, so that no other process has to wait for the end of its heartbeats. */
export async function retireWorker(tx: Tx, worker: string): Promise<void> {
  await sqlOf(tx).run('UPDATE workers SET stopped_at = ? WHERE id = ? AND boot = ?', [tx.at, ...partsOf(worker)])
}

export const listDeadWorkers = (tx: ReadTx): Promise<string[]> =>
  column('id', text).all(sqlOf(tx), 'SELECT id FROM workers WHERE stopped_at IS NOT NULL OR heartbeat_at < ?', [
    deadlineOf(tx),
  ])

/**
 * Lists the workers of other homes that have used a shared store, the latest first. Stores of older versions are read
 * too, before they are migrated: they have no columns for the home.
 */
export async function listOtherWorkers(
  tx: ReadTx,
  mine: WorkerIdentity,
  isRunning: (pid: number) => boolean,
): Promise<KnownWorker[]> {
  const all = await knownWorkers.all(
    sqlOf(tx),
    `SELECT id, boot, host, pid, COALESCE(to_jsonb(w)->>'home', '') AS home, COALESCE(to_jsonb(w)->>'fingerprint', '') AS fingerprint,
started_at, heartbeat_at, to_jsonb(w)->>'stopped_at' AS stopped_at FROM workers w ORDER BY heartbeat_at DESC, id`,
  )
  return all.filter((each) => {
    if (each.fingerprint !== '') return each.fingerprint !== mine.fingerprint
    // A worker of a version without fingerprints is known by its id and its machine, which a copy of its home has too.
    // The home of this process is locked, so if such a worker still lives, it is that of the home which was copied.
    if (each.id !== mine.id || each.host !== mine.host) return true
    return isAlive(tx, each) && each.pid !== mine.pid && isRunning(each.pid)
  })
}

export const isAlive = (tx: ReadTx, { stoppedAt, heartbeatAt }: KnownWorker): boolean =>
  stoppedAt === null && heartbeatAt >= deadlineOf(tx)

/**
 * Reports whether the events of the store are sealed with another key than that of this process. A few streams suffice:
 * of a store that somebody has tampered with, others still fit.
 */
export async function isSealedByOther(tx: ReadTx): Promise<boolean> {
  const { chainKey } = openTx(tx)
  const heads = await columns({ stream: text, seq: integer, hash: text, seal: text }).all(
    sqlOf(tx),
    'SELECT stream, seq, hash, seal FROM streams WHERE seq > 0 ORDER BY stream LIMIT 20',
  )
  return heads.length > 0 && heads.every(({ stream, seq, hash, seal }) => seal !== sealOf(chainKey, stream, seq, hash))
}

const knownWorkers = columns({
  id: text,
  boot: integer,
  host: text,
  pid: integer,
  home: text,
  fingerprint: text,
  startedAt: text,
  heartbeatAt: text,
  stoppedAt: optional(text),
})

const deadlineOf = ({ at }: ReadTx): string => isoAt(Date.parse(at) - deadAfterMs)

const partsOf = (worker: string): [id: string, boot: number] => {
  const end = worker.lastIndexOf(':')
  return [worker.slice(0, end), Number(worker.slice(end + 1))]
}
