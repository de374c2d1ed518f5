import type { ReadTx } from '../../db/port.ts'
import { findRows, table } from '../../db/table.ts'
import type { Holder, Reservation } from './contract.ts'

/**
 * A reservation changes with its holder and belongs to the holder's stream. A transaction that adds one has also locked
 * the stream of the budget, whose reserved amount is the sum of these rows; one that returns an amount need not.
 */
export const reservations = table<Reservation>('reservations', {
  key: ['holder', 'holderId', 'scope', 'scopeId'],
  isLeaf: true,
  stream: ({ runId, organisationId }) => (runId === null ? `org:${organisationId}` : `run:${runId}`),
})

export const listReservationsOf = (
  tx: ReadTx,
  holder: Holder['holder'],
  holderIds: readonly string[],
): Promise<Reservation[]> =>
  findRows(
    tx,
    reservations,
    `holder = ? AND holder_id IN (${holderIds.map(() => '?').join(', ')}) ORDER BY holder_id, scope, scope_id`,
    [holder, ...holderIds],
  )
