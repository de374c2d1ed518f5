import type { ReadTx, Tx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { nextCounter } from '../../db/tx.ts'

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

export const findPosition = (tx: ReadTx, id: number): Promise<Position | undefined> => findRow(tx, positions, id)

export const listPositions = (tx: ReadTx, organisationId: number): Promise<Position[]> =>
  findRows(tx, positions, 'organisation_id = ? ORDER BY id', [organisationId])

export const listAuthorities = (tx: ReadTx, organisationId: number): Promise<PositionAuthority[]> =>
  findRows(tx, positionAuthorities, 'organisation_id = ? ORDER BY position_id, kind', [organisationId])
