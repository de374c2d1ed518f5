import { sqlOf } from '../../../../src/db/tx.ts'
import type { heartbeat as sent } from '../../../../src/engine/workers-store.ts'

export * from '../../../../src/engine/workers-store.ts'

export const heartbeat: typeof sent = (db, worker) =>
  db.writeApart(async (tx) => {
    const values = [tx.at, worker.slice(0, worker.lastIndexOf(':'))]
    return (await sqlOf(tx).run('UPDATE workers SET heartbeat_at = ? WHERE id = ?', values)) === 1
  })
