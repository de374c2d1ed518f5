import type { ReadTx, Tx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { nextCounter, raiseCounter, sqlOf } from '../../db/tx.ts'

export interface Position {
  id: number
  organisationId: number
  roleId: number
  title: string
  level: number
  reportsToId: number | null
  escalatesToId: number | null
  isCrossCutting: boolean
  createdAt: string
  updatedAt: string
}

export interface PositionAuthority {
  organisationId: number
  positionId: number
  kind: 'spend_per_transaction' | 'spend_per_session' | 'spend_per_day' | 'tokens_per_session'
  limitAmount: number
  unit: string
  onBreach: 'refuse' | 'gate' | 'hard_stop'
}

export const positions = table<Position>('positions', {
  booleans: ['isCrossCutting'],
  stream: (row) => `org:${row.organisationId}`,
})

export const positionAuthorities = table<PositionAuthority>('position_authorities', {
  key: ['positionId', 'kind'],
  stream: (row) => `org:${row.organisationId}`,
})

export const nextPositionId = (tx: Tx): Promise<number> => nextCounter(tx, 'positions')

/** The first of `count` new ids. */
export const nextPositionIds = (tx: Tx, count: number): Promise<number> => nextCounter(tx, 'positions', count)

export const raisePositionIds = (tx: Tx, atLeast: number): Promise<void> => raiseCounter(tx, 'positions', atLeast)

export const findPosition = (tx: ReadTx, id: number): Promise<Position | undefined> => findRow(tx, positions, id)

export const listPositions = (tx: ReadTx, organisationId: number): Promise<Position[]> =>
  findRows(tx, positions, 'organisation_id = ? ORDER BY id', [organisationId])

export const listAuthorities = (tx: ReadTx, organisationId: number): Promise<PositionAuthority[]> =>
  findRows(tx, positionAuthorities, 'organisation_id = ? ORDER BY position_id, kind', [organisationId])

/** Of these numbers, those that are seats or have been, each with its organisation. */
export async function listSeatOwners(tx: ReadTx, ids: readonly number[]): Promise<Map<number, number>> {
  const owners = new Map<number, number>()
  const wanted = new Set(ids)
  const sql = sqlOf(tx)
  const last = await sql.get("SELECT value FROM counters WHERE name = 'positions'")
  const given = ids.filter((id) => id <= Number(last?.['value'] ?? 0))
  for (let from = 0; from < given.length; from += 500) {
    const some = given.slice(from, from + 500)
    const marks = some.map(() => '?').join(', ')
    for (const row of await sql.all(`SELECT id, organisation_id FROM positions WHERE id IN (${marks})`, some))
      owners.set(row['id'] as number, row['organisation_id'] as number)
  }
  if (given.every((id) => owners.has(id))) return owners
  // Nothing but the events remembers what was removed.
  const rows = await sql.all(
    `SELECT stream, data FROM events WHERE stream >= 'org:' AND stream < 'org;' AND kind = 'org_changed'
AND data LIKE '%"noun":"position","action":"remove"%'`,
  )
  for (const row of rows) {
    const { position_id: id } = JSON.parse(row['data'] as string) as { position_id: number }
    if (wanted.has(id) && !owners.has(id)) owners.set(id, Number((row['stream'] as string).slice('org:'.length)))
  }
  return owners
}
