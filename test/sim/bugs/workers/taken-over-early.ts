import { column, text } from '../../../../src/db/columns.ts'
import { sqlOf } from '../../../../src/db/tx.ts'
import type { listDeadWorkers as listed } from '../../../../src/engine/workers-store.ts'
import { isoAt } from '../../../../src/kernel/clock.ts'

export * from '../../../../src/engine/workers-store.ts'

/** Takes a process for dead that still has the time to give its work up by itself. */
export const listDeadWorkers: typeof listed = (tx) =>
  column('id', text).all(sqlOf(tx), 'SELECT id FROM workers WHERE stopped_at IS NOT NULL OR heartbeat_at < ?', [
    isoAt(Date.parse(tx.at) - 15_000),
  ])
