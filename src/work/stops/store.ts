import { columns, flag } from '../../db/columns.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { openTx } from '../../db/tx.ts'
import type { ProviderHold, Stop } from './contract.ts'

export const stops = table<Stop>('stops', {
  key: ['scope'],
  stream: (row) => (row.organisationId === null ? 'system' : `org:${row.organisationId}`),
})

export const providerHolds = table<ProviderHold>('provider_holds', { key: ['provider'], stream: () => 'system' })

export const scopeOfStop = (organisationId: number | null): string =>
  organisationId === null ? 'all' : `org:${organisationId}`

export const findStop = (tx: ReadTx, scope: string): Promise<Stop | undefined> => findRow(tx, stops, scope)

export const listStops = (tx: ReadTx): Promise<Stop[]> => findRows(tx, stops, '1 = 1 ORDER BY scope')

export const findHold = (tx: ReadTx, provider: string): Promise<ProviderHold | undefined> =>
  findRow(tx, providerHolds, provider)

/** Lists the holds that are still in force. */
export const listHolds = (tx: ReadTx, at: string): Promise<ProviderHold[]> =>
  findRows(tx, providerHolds, 'until > ? ORDER BY provider', [at])

/** Condition on a run `r`: a stop applies to it. */
export const isStopped =
  'EXISTS (SELECT 1 FROM stops s WHERE s.organisation_id IS NULL OR s.organisation_id = r.organisation_id)'

/** Finds the obstacles to launches in an organisation with one query. */
export function lookForObstacles(
  tx: ReadTx,
  organisationId: number,
): Promise<{ stopped: boolean; limited: boolean; budgeted: boolean }> {
  const open = openTx(tx)
  return obstacles.one(
    open.sqlFor('stops', 'provider_holds', 'budgets'),
    `SELECT EXISTS (SELECT 1 FROM stops WHERE organisation_id IS NULL OR organisation_id = ?) AS stopped,
EXISTS (SELECT 1 FROM provider_holds WHERE until > ?) AS limited, EXISTS (SELECT 1 FROM budgets) AS budgeted`,
    [organisationId, open.at],
  )
}

const obstacles = columns({ stopped: flag, limited: flag, budgeted: flag })
