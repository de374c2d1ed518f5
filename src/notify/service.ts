import type { NotificationAction } from '../adapters/notify/contract.ts'
import type { ConfiguredNotifier, Notification } from '../adapters/notify/port.ts'
import type { Db, Tx } from '../db/port.ts'
import { create } from '../events/change.ts'
import type { Jobs, RunningJob } from '../jobs/queue.ts'
import type { Backoff } from '../jobs/schedule.ts'
import type { Clock } from '../kernel/clock.ts'
import { bug, notFound, refusal } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { shorten } from '../kernel/text.ts'
import { redact } from '../secrets/redact.ts'
import type { Delivery, NewNotification, NotificationRecord } from './contract.ts'
import { recordOutcome } from './outcome.ts'
import { createNotifierGroup } from './notifier-group.ts'
import { findNotification, isRecorded, listNotifications, notifications } from './store.ts'
import { namedByTeam } from './team-notifiers.ts'

export interface NotifyDeps {
  db: Db
  clock: Clock
  ids: Ids
  log: Log
  jobs: Pick<Jobs, 'enqueue' | 'handle'>
  notifiers: readonly ConfiguredNotifier[]
  /** Returns the current address of the dashboard. */
  address: () => string
}

export type Notify = ReturnType<typeof createNotify>

/** A receiver that is unavailable for eight minutes still gets the message. */
const backoff: Backoff = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000]
const maxTries = backoff.length + 1
const jobKind = 'notify'

/** Notifies people, once per object, state and audience. A failure here stops nothing else. */
export function createNotify({ db, clock, ids, log, jobs, notifiers, address }: NotifyDeps) {
  const group = createNotifierGroup(notifiers, clock)
  jobs.handle(jobKind, deliver, { backoff })

  /** A job may run twice and may run late: the row lists the notifiers that have already accepted the message. */
  async function deliver({ payload, isLastTry, signal }: RunningJob): Promise<void> {
    const { row, named } = await db.read(async (tx) => {
      const row = await findNotification(tx, String(payload))
      return { row, named: await namedByTeam(tx, row?.runId ?? null) }
    })
    if (row === undefined || row.status !== 'waiting') return
    const accepted = new Set(row.deliveries.flatMap(({ adapter, ok }) => (ok ? [adapter] : [])))
    const message = messageOf(row, address())
    const open = group.namesFor(row.kind, named).filter((name) => !accepted.has(name))
    const results = await group.send(open, message, signal)
    const failed = results.filter(({ ok }) => !ok)
    const hasArrived = accepted.size > 0 || results.some(({ ok }) => ok)
    const done = hasArrived ? 'sent' : 'not_sent'
    const status = failed.length === 0 ? done : isLastTry && !signal.aborted ? 'failed' : 'waiting'
    const recorded = status === 'failed' ? results : results.filter((each) => each.ok || isFirst(row, each, signal))
    if (recorded.length > 0 || failed.length === 0)
      await db.write([notifications.stream(row)], async (tx) => {
        const current = await findNotification(tx, row.id)
        if (current?.status === 'waiting') await recordOutcome(tx, current, { deliveries: recorded, status })
      })
    for (const { adapter, error } of failed) log.warn('a notifier failed', { adapter, error, notification: row.id })
    if (status === 'waiting') throw new Error(failed.map(({ adapter, error }) => `${adapter}: ${error}`).join('; '))
  }

  return {
    /**
     * Records the notification in the transaction that causes it; it is delivered after the commit. The transaction
     * must have locked the run's stream, or `system` if there is no run.
     */
    async send(tx: Tx, note: NewNotification): Promise<void> {
      const row = rowOf(note, ids.next('notification'), tx.at)
      if (await isRecorded(tx, row)) return
      const names = group.namesFor(row.kind, await namedByTeam(tx, row.runId))
      await create(tx, notifications, names.length === 0 ? { ...row, status: 'not_sent' } : row, {
        kind: 'notify_requested',
        by: 'daemon',
        runId: row.runId,
        level: 'verbose',
        message: `notification for ${row.audience} requested${names.length === 0 ? ', which no notifier receives' : ''}: ${shorten(row.title, 200)}`,
        data: { notification_id: row.id, kind: row.kind, audience: row.audience, adapters: names },
      })
      if (names.length > 0) await jobs.enqueue(tx, { kind: jobKind, payload: row.id, maxTries })
    },

    list: async (status: string | undefined, limit: number) => ({
      notifiers: group.list(),
      notifications: await db.read((tx) => listNotifications(tx, status, limit)),
    }),

    /** Sends a test message immediately, without retries, and returns the outcome. */
    async test(adapter: string | undefined): Promise<NotificationRecord> {
      const known = group.list().map(({ name }) => name)
      if (known.length === 0)
        throw refusal('conflict', 'no notifier is configured', { hint: 'Add one under "notify:" in config.yaml.' })
      if (adapter !== undefined && !known.includes(adapter))
        throw notFound('notifier', adapter, `Available: ${known.join(', ')}.`)
      const id = ids.next('notification')
      const row = rowOf({ ...testNote, object: id }, id, clock.at())
      const deliveries = await group.try(adapter === undefined ? known : [adapter], messageOf(row, address()))
      const status = deliveries.every(({ ok }) => ok) ? 'sent' : 'failed'
      return db.write(['system'], (tx) => recordOutcome(tx, row, { deliveries, status }, true))
    },
  }
}

const testNote = {
  kind: 'test',
  title: 'Test message from Agency',
  summary: 'If you can read this, Agency can notify you of pending decisions and finished runs.',
  actions: [{ label: 'List notifications', command: 'agency notify list' }],
  link: '/',
  runId: null,
  state: 'test',
} as const

/** The first failure of a notifier is recorded at once; those between it and the last are not. */
const isFirst = (row: NotificationRecord, { adapter }: Delivery, signal: AbortSignal): boolean =>
  !signal.aborted && !row.deliveries.some((before) => before.adapter === adapter)

function rowOf(note: NewNotification, id: string, at: string): NotificationRecord {
  if (note.object === '' || note.state === '') throw bug('a notification without object or state', { kind: note.kind })
  return {
    id,
    runId: note.runId,
    organisationId: note.organisationId ?? null,
    audience: note.audience ?? 'operator',
    kind: note.kind,
    title: fit(note.title, 300),
    summary: fit(note.summary, 4_000),
    actions: (note.actions ?? []).slice(0, 10).map(fitAction),
    link: note.link === undefined ? (note.runId === null ? null : `/runs/${note.runId}`) : note.link,
    object: note.object,
    state: note.state,
    status: 'waiting',
    deliveries: [],
    createdAt: at,
    updatedAt: at,
  }
}

/** The text leaves this machine, so anything that looks like a secret is removed. */
const fit = (text: string, max: number): string => shorten(redact(text), max)

const fitAction = ({ label, command, link }: NotificationAction): NotificationAction => ({
  label: fit(label, 100),
  command: fit(command, 500),
  ...(link === undefined ? {} : { link }),
})

function messageOf(row: NotificationRecord, address: string): Notification {
  const { id, audience, kind, title, summary, runId } = row
  const whole = (link: string): string => (link.startsWith('/') ? `${address}${link}` : link)
  return {
    id,
    audience,
    kind,
    title,
    summary,
    actions: row.actions.map((action) =>
      action.link === undefined ? action : { ...action, link: whole(action.link) },
    ),
    link: row.link === null ? null : whole(row.link),
    runId,
  }
}
