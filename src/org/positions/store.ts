import { column, columns, integer, json, text } from '../../db/columns.ts'
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

/** Returns those of the ids that are or were seats, each with its organisation. */
export async function listSeatOwners(tx: ReadTx, ids: readonly number[]): Promise<Map<number, number>> {
  const owners = new Map<number, number>()
  const wanted = new Set(ids)
  const sql = sqlOf(tx)
  const last = (await column('value', integer).first(sql, "SELECT value FROM counters WHERE name = 'positions'")) ?? 0
  const given = ids.filter((id) => id <= last)
  for (let from = 0; from < given.length; from += 500) {
    const some = given.slice(from, from + 500)
    const marks = some.map(() => '?').join(', ')
    const rows = await seats.all(sql, `SELECT id, organisation_id FROM positions WHERE id IN (${marks})`, some)
    for (const { id, organisationId } of rows) owners.set(id, organisationId)
  }
  if (given.every((id) => owners.has(id))) return owners
  // Only the events record removed seats.
  const removed = await removals.all(
    sql,
    `SELECT stream, data FROM events WHERE stream >= 'org:' AND stream < 'org;' AND kind = 'org_changed'
AND data LIKE '%"noun":"position","action":"remove"%'`,
  )
  for (const { stream, data } of removed) {
    const id = data.position_id
    if (wanted.has(id) && !owners.has(id)) owners.set(id, Number(stream.slice('org:'.length)))
  }
  return owners
}

const seats = columns({ id: integer, organisationId: integer })
const removals = columns({ stream: text, data: json<{ position_id: number }>() })
