import { z } from 'zod'

import { NotificationAction, NotificationKind } from '../adapters/notify/contract.ts'
import { operation } from '../operations/contract.ts'
import { notifyEndpoints } from './endpoints.ts'

/** The result of the last try with one notifier. */
export const Delivery = z.object({
  adapter: z.string().describe('The name of the notifier'),
  ok: z.boolean(),
  at: z.string(),
  error: z.string().optional(),
})
export type Delivery = z.infer<typeof Delivery>

export const NotificationStatus = z
  .enum(['waiting', 'sent', 'failed', 'not_sent'])
  .describe('not_sent: no notifier receives it')

export const NotificationRecord = z.object({
  id: z.string(),
  runId: z.string().nullable(),
  organisationId: z.number().int().nullable(),
  audience: z.string(),
  kind: NotificationKind,
  title: z.string(),
  summary: z.string(),
  actions: z.array(NotificationAction),
  link: z.string().nullable(),
  object: z.string().describe('The subject: gate:…, question:…, run:…'),
  state: z.string().describe('The state that the notification reports; sent once per object, state and audience'),
  status: NotificationStatus,
  deliveries: z.array(Delivery),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type NotificationRecord = z.infer<typeof NotificationRecord>

/** A notification to send. A link that begins with `/` leads to the dashboard at its address at the time of delivery. */
export interface NewNotification {
  kind: NotificationKind
  title: string
  summary: string
  /** The recipient; the operator if missing. */
  audience?: string
  actions?: readonly NotificationAction[]
  link?: string | null
  runId: string | null
  organisationId?: number | null
  object: string
  state: string
}

export const notifyOperations = {
  list: operation({
    name: 'notify.list',
    summary: 'List notifications, newest first, with their deliveries',
    ...notifyEndpoints.list,
    input: z.strictObject({
      status: NotificationStatus.optional(),
      limit: z.coerce.number().int().min(1).max(500).default(50),
    }),
    output: z.object({
      notifiers: z.array(
        z.object({
          name: z.string(),
          kinds: z.array(NotificationKind).nullable().describe('The kinds that it receives; null: all'),
        }),
      ),
      notifications: z.array(NotificationRecord),
    }),
    allow: ['operator'],
  }),
  test: operation({
    name: 'notify.test',
    summary: 'Send a test message through every notifier, or one of them, and wait for the outcome',
    ...notifyEndpoints.test,
    input: z.strictObject({ adapter: z.string().min(1).max(64).optional().describe('The name of one notifier') }),
    output: NotificationRecord,
    allow: ['operator'],
  }),
}
