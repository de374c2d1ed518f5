import { column, integer, text } from '../../db/columns.ts'
import type { Db, ReadTx, Tx } from '../../db/port.ts'
import { sqlOf } from '../../db/tx.ts'
import { isoAt } from '../../kernel/clock.ts'

/** A worker without a heartbeat for `deadAfterMs` is dead. */
export const heartbeatMs = 10_000
const deadAfterMs = 60_000

/** Registers this process and returns `<id>:<boot>`; every start of the same worker has a higher boot number. */
export async function registerWorker(tx: Tx, worker: { id: string; host: string; pid: number }): Promise<string> {
  const boot = await column('boot', integer).one(
    sqlOf(tx),
    `INSERT INTO workers (id, boot, host, pid, started_at, heartbeat_at) VALUES (?, 1, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET boot = workers.boot + 1, host = excluded.host, pid = excluded.pid, started_at = excluded.started_at, heartbeat_at = excluded.heartbeat_at
RETURNING boot`,
    [worker.id, worker.host, worker.pid, tx.at, tx.at],
  )
  return `${worker.id}:${boot}`
}

export const heartbeat = (db: Db, worker: string): Promise<void> =>
  db.write([], async (tx) => {
    await sqlOf(tx).run('UPDATE workers SET heartbeat_at = ? WHERE id = ?', [
      tx.at,
      worker.slice(0, worker.lastIndexOf(':')),
    ])
  })

export const listDeadWorkers = (tx: ReadTx, nowMs: number): Promise<string[]> =>
  column('id', text).all(sqlOf(tx), 'SELECT id FROM workers WHERE heartbeat_at < ?', [isoAt(nowMs - deadAfterMs)])
