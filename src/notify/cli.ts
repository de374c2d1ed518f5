import type { notifyListCommand } from '../cli/commands/notify/list.ts'
import type { notifyTestCommand } from '../cli/commands/notify/test.ts'
import type { Handler } from '../cli/declare.ts'
import { ago, plain, signText, statusText, tableLines } from '../cli/terminal.ts'
import type { Wire } from '../cli/wire.ts'
import type { NotificationRecord } from './contract.ts'
import { notifyEndpoints } from './endpoints.ts'

type NotificationLine = Wire<NotificationRecord>

interface NotificationList {
  notifiers: { name: string; kinds: string[] | null }[]
  notifications: NotificationLine[]
}

export const listNotifications: Handler<typeof notifyListCommand> = async (context, { status, limit, json }) => {
  const answer = await context.api().call<NotificationList>(notifyEndpoints.list, { status, limit })
  if (json) {
    context.json(answer)
    return 0
  }
  const names = answer.notifiers.map(({ name, kinds }) => (kinds === null ? name : `${name} (${kinds.join(', ')})`))
  context.out(
    names.length === 0 ? 'no notifiers: config.yaml lists none under "notify:"' : `notifiers: ${names.join(', ')}`,
  )
  if (answer.notifications.length === 0) {
    context.out(status === undefined ? 'no notifications yet' : `no notifications with status ${status}`)
    return 0
  }
  const columns = [
    { title: 'NOTIFICATION' },
    { title: 'STATUS' },
    { title: 'KIND' },
    { title: 'WHEN', right: true },
    { title: 'BY' },
    { title: 'TITLE', flexible: true },
  ] as const
  const rows = answer.notifications.map((each) => [
    each.id,
    statusText(context, each.status, stateOf[each.status]),
    each.kind,
    ago(each.created_at, context.nowMs()),
    each.deliveries.map(({ adapter, ok }) => `${adapter} ${ok ? '✓' : '✗'}`).join(' '),
    plain(each.title),
  ])
  for (const line of tableLines(context, columns, rows)) context.out(line)
  return 0
}

const stateOf = { waiting: 'waiting', sent: 'good', failed: 'bad', not_sent: 'bad' } as const

/** Sends a test message; exits with 1 when a notifier did not accept it. */
export const testNotifiers: Handler<typeof notifyTestCommand> = async (context, { adapter: only, json }) => {
  const sent = await context.api().call<NotificationLine>(notifyEndpoints.test, { adapter: only })
  if (json) context.json(sent)
  else
    for (const { adapter, ok, error } of sent.deliveries)
      context.out(
        `${signText(context, ok ? 'good' : 'bad')} ${adapter}${ok ? ' accepted it' : `: ${plain(error ?? 'failed')}`}`,
      )
  return sent.status === 'sent' ? 0 : 1
}
