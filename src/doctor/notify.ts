import { boundLimit } from '../db/limit.ts'
import type { ReadTx } from '../db/port.ts'
import { findRows } from '../db/table.ts'
import { type Clock, isoAt } from '../kernel/clock.ts'
import type { Delivery } from '../notify/contract.ts'
import { notifications } from '../notify/store.ts'
import { type Finding, ok as inOrder, warn } from './finding.ts'

const windowMs = 7 * 86_400_000
const atMost = 500

/**
 * Reports notifiers whose last delivery failed: a test message that arrives clears the finding, and so does removing the
 * notifier from the configuration. `names` are the configured notifiers, null if the configuration cannot be read.
 */
export async function examineNotify(tx: ReadTx, clock: Clock, names: readonly string[] | null): Promise<Finding> {
  const since = isoAt(clock.nowMs() - windowMs)
  const rows = await findRows(tx, notifications, `created_at >= ? ORDER BY created_at DESC ${boundLimit}`, [
    since,
    atMost,
  ])
  const last = new Map<string, Delivery>()
  for (const delivery of rows.flatMap(({ deliveries }) => deliveries)) {
    const known = last.get(delivery.adapter)
    if (known === undefined || known.at < delivery.at) last.set(delivery.adapter, delivery)
  }
  const failing = [...last.values()].filter(({ adapter, ok }) => !ok && (names?.includes(adapter) ?? true))
  if (failing.length === 0)
    return inOrder('notify', rows.length === 0 ? 'no recent notifications' : 'the last messages arrived')
  const list = failing.map(({ adapter, at, error }) => `${adapter}: ${error ?? 'it failed'} (${at})`)
  return warn(
    'notify',
    list.join('; '),
    'Fix it, then check it with "agency notify test"; "agency notify list" shows all notifications.',
  )
}
