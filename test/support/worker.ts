import type { Db } from '../../src/db/port.ts'
import { sqlOf } from '../../src/db/tx.ts'

/** A process of a home that no other test process has. */
export const testWorker = { host: 'here', pid: 1, home: '/homes/test', fingerprint: 'test' }

/** Registers `<id>:<boot>`; an earlier boot never replaces a later one. */
export async function enlistWorker(db: Db, worker: string): Promise<void> {
  const [id = '', boot] = worker.split(':')
  await db.write([], async (tx) => {
    await sqlOf(tx).run(
      `INSERT INTO workers (id, boot, host, pid, started_at, heartbeat_at) VALUES (?, ?, 'here', 1, ?, ?)
ON CONFLICT (id) DO UPDATE SET boot = CASE WHEN workers.boot < excluded.boot THEN excluded.boot ELSE workers.boot END, heartbeat_at = excluded.heartbeat_at`,
      [id, Number(boot), tx.at, tx.at],
    )
  })
}
