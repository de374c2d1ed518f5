import { allOf, ofOrganisation } from '../../db/conditions.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import type { Mission } from './contract.ts'

export const missions = table<Mission>('missions', {
  json: ['tags', 'deliverables', 'passed'],
  stream: (row) => `org:${row.organisationId}`,
})

export const findMission = (tx: ReadTx, id: string): Promise<Mission | undefined> => findRow(tx, missions, id)

/** Returns at most two: enough to detect an ambiguous prefix. */
export const findMissionsByPrefix = (tx: ReadTx, prefix: string): Promise<Mission[]> =>
  findRows(tx, missions, 'id >= ? AND id < ? ORDER BY id LIMIT 2', [prefix, `${prefix}~`])

export function listMissions(
  tx: ReadTx,
  status: string | undefined,
  limit: number,
  organisationId?: number,
): Promise<Mission[]> {
  const { where, values } = allOf(status !== undefined && ['status = ?', [status]], ofOrganisation(organisationId))
  return findRows(tx, missions, `${where} ORDER BY created_at DESC, id ${boundLimit}`, [...values, limit])
}
