import type { Tx } from '../db/port.ts'
import type { NewEvent } from '../events/append.ts'
import { inserted, record, updated } from '../events/change.ts'
import { shorten } from '../kernel/text.ts'
import type { Delivery, NotificationRecord } from './contract.ts'
import { notifications } from './store.ts'

/** The result of one try. */
export interface Outcome {
  readonly deliveries: readonly Delivery[]
  readonly status: NotificationRecord['status']
}

/** Records one event for the notifiers that accepted the message and one for the others, each with the row at that point. */
export async function recordOutcome(
  tx: Tx,
  row: NotificationRecord,
  { deliveries, status }: Outcome,
  isNew = false,
): Promise<NotificationRecord> {
  const accepted = deliveries.filter(({ ok }) => ok)
  const failed = deliveries.filter(({ ok }) => !ok)
  const steps: { of: readonly Delivery[]; event: NewEvent }[] = []
  if (status === 'not_sent') steps.push({ of: [], event: unheard(row) })
  else if (accepted.length > 0 || failed.length === 0) steps.push({ of: accepted, event: sent(row, accepted) })
  if (failed.length > 0) steps.push({ of: failed, event: notSent(row, failed, status === 'failed') })
  let current = row
  for (const [index, { of, event }] of steps.entries()) {
    const patch = {
      deliveries: merged(current.deliveries, of),
      status: index === steps.length - 1 ? status : current.status,
      updatedAt: tx.at,
    }
    const isFirst = isNew && index === 0
    await record(tx, event, [
      isFirst ? inserted(notifications, { ...current, ...patch }) : updated(notifications, current, patch),
    ])
    current = { ...current, ...patch }
  }
  return current
}

function merged(before: readonly Delivery[], now: readonly Delivery[]): Delivery[] {
  const names = new Set(now.map(({ adapter }) => adapter))
  return [...before.filter(({ adapter }) => !names.has(adapter)), ...now]
}

const sent = (row: NotificationRecord, accepted: readonly Delivery[]): NewEvent => ({
  kind: 'notify_sent',
  by: 'daemon',
  runId: row.runId,
  level: 'verbose',
  message: `notified ${row.audience}${accepted.length === 0 ? '' : ` by ${namesOf(accepted)}`}: ${shorten(row.title, 200)}`,
  data: {
    notification_id: row.id,
    kind: row.kind,
    audience: row.audience,
    adapters: accepted.map((each) => each.adapter),
  },
})

const unheard = (row: NotificationRecord): NewEvent => ({
  kind: 'notify_failed',
  by: 'daemon',
  runId: row.runId,
  message: `could not notify ${row.audience}: no notifier receives it any more`,
  data: { notification_id: row.id, kind: row.kind, audience: row.audience, adapters: [], final: true },
})

const notSent = (row: NotificationRecord, failed: readonly Delivery[], isFinal: boolean): NewEvent => ({
  kind: 'notify_failed',
  by: 'daemon',
  runId: row.runId,
  message: `could not notify ${row.audience} by ${namesOf(failed)}${isFinal ? ', gave up' : ', will retry'}: ${failed
    .map(({ error }) => error)
    .join('; ')}`,
  data: {
    notification_id: row.id,
    kind: row.kind,
    audience: row.audience,
    adapters: failed.map((each) => each.adapter),
    errors: Object.fromEntries(failed.map(({ adapter, error }) => [adapter, error])),
    final: isFinal,
  },
})

const namesOf = (deliveries: readonly Delivery[]): string => deliveries.map(({ adapter }) => adapter).join(', ')
