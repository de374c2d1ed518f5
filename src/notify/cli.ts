import type { CliContext } from '../cli/context.ts'
import { ago, plain, signText, statusText, tableLines } from '../cli/terminal.ts'
import type { Wire } from '../cli/wire.ts'
import type { NotificationRecord } from './contract.ts'

type NotificationLine = Wire<NotificationRecord>

interface NotificationList {
  notifiers: { name: string; kinds: string[] | null }[]
  notifications: NotificationLine[]
}

export interface NotificationsOptions {
  status?: string
  limit?: number
  json?: true
}

export async function listNotifications(context: CliContext, options: NotificationsOptions): Promise<number> {
  const list = await context.api().get<NotificationList>('/notify', { status: options.status, limit: options.limit })
  if (options.json) {
    context.json(list)
    return 0
  }
  const names = list.notifiers.map(({ name, kinds }) => (kinds === null ? name : `${name} (${kinds.join(', ')})`))
  context.out(
    names.length === 0 ? 'no notifiers: config.yaml lists none under "notify:"' : `notifiers: ${names.join(', ')}`,
  )
  if (list.notifications.length === 0) {
    context.out(
      options.status === undefined ? 'no notifications yet' : `no notifications with status ${options.status}`,
    )
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
  const rows = list.notifications.map((each) => [
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

const stateOf = { waiting: 'waiting', sent: 'good', failed: 'bad' } as const

/** Returns exit code 1 if a notifier did not accept the message. */
export async function testNotifiers(context: CliContext, options: { adapter?: string; json?: true }): Promise<number> {
  const sent = await context.api().post<NotificationLine>('/notify/test', { adapter: options.adapter })
  if (options.json) context.json(sent)
  else
    for (const { adapter, ok, error } of sent.deliveries)
      context.out(
        `${signText(context, ok ? 'good' : 'bad')} ${adapter}${ok ? ' accepted it' : `: ${plain(error ?? 'failed')}`}`,
      )
  return sent.status === 'sent' ? 0 : 1
}
