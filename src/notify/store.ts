import { boundLimit } from '../db/limit.ts'
import type { ReadTx } from '../db/port.ts'
import { findRow, findRows, table } from '../db/table.ts'
import type { NotificationRecord } from './contract.ts'

export const notifications = table<NotificationRecord>('notifications', {
  json: ['actions', 'deliveries'],
  stream: (row) => (row.runId === null ? 'system' : `run:${row.runId}`),
})

export const findNotification = (tx: ReadTx, id: string): Promise<NotificationRecord | undefined> =>
  findRow(tx, notifications, id)

export async function isRecorded(
  tx: ReadTx,
  { object, state, audience }: Pick<NotificationRecord, 'object' | 'state' | 'audience'>,
): Promise<boolean> {
  const found = await findRows(
    tx,
    notifications,
    'object = ? AND state = ? AND audience = ?',
    [object, state, audience],
    (columns) => columns['object'] === object && columns['state'] === state,
  )
  return found.length > 0
}

export const listNotifications = (
  tx: ReadTx,
  status: string | undefined,
  limit: number,
): Promise<NotificationRecord[]> =>
  status === undefined
    ? findRows(tx, notifications, `1 = 1 ORDER BY created_at DESC, id DESC ${boundLimit}`, [limit])
    : findRows(tx, notifications, `status = ? ORDER BY created_at DESC, id DESC ${boundLimit}`, [status, limit])
