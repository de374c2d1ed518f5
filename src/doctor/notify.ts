import type { ReadTx } from '../db/port.ts'
import { findRows } from '../db/table.ts'
import { type Clock, isoAt } from '../kernel/clock.ts'
import type { Delivery } from '../notify/contract.ts'
import { notifications } from '../notify/store.ts'
import { type Finding, ok as inOrder, warn } from './finding.ts'

const windowMs = 7 * 86_400_000
const atMost = 500

/**
 * A notifier counts as failing while the last thing that it did was to fail: a test message that arrives clears it, and so
 * does taking it out of the settings. `names` are those of the settings, null where these cannot be read.
 */
export async function examineNotify(tx: ReadTx, clock: Clock, names: readonly string[] | null): Promise<Finding> {
  const since = isoAt(clock.nowMs() - windowMs)
  const rows = await findRows(tx, notifications, 'created_at >= ? ORDER BY created_at DESC LIMIT ?', [since, atMost])
  const last = new Map<string, Delivery>()
  for (const delivery of rows.flatMap(({ deliveries }) => deliveries)) {
    const known = last.get(delivery.adapter)
    if (known === undefined || known.at < delivery.at) last.set(delivery.adapter, delivery)
  }
  const failing = [...last.values()].filter(({ adapter, ok }) => !ok && (names?.includes(adapter) ?? true))
  if (failing.length === 0)
    return inOrder('notify', rows.length === 0 ? 'nobody was told anything lately' : 'the last messages arrived')
  const list = failing.map(({ adapter, at, error }) => `${adapter}: ${error ?? 'it failed'} (${at})`)
  return warn('notify', list.join('; '), 'Mend it, then look with "agency notify test"; "agency notify list" has all.')
}
