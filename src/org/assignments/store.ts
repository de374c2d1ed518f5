import type { ReadTx, Tx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { nextCounter } from '../../db/tx.ts'

export interface Assignment {
  id: number
  organisationId: number
  /** Null once the seat has been removed; the title stays for the history. */
  positionId: number | null
  positionTitle: string
  personaId: number
  assignedAt: string
  unassignedAt: string | null
}

export const assignments = table<Assignment>('position_assignments', {
  stream: (row) => `org:${row.organisationId}`,
})

export const nextAssignmentId = (tx: Tx): Promise<number> => nextCounter(tx, 'assignments')

export const findAssignment = (tx: ReadTx, id: number): Promise<Assignment | undefined> => findRow(tx, assignments, id)

export async function findHolder(tx: ReadTx, positionId: number): Promise<Assignment | undefined> {
  const [open] = await findRows(tx, assignments, 'position_id = ? AND unassigned_at IS NULL', [positionId])
  return open
}

export const listOpenAssignments = (tx: ReadTx, organisationId: number): Promise<Assignment[]> =>
  findRows(tx, assignments, 'organisation_id = ? AND unassigned_at IS NULL ORDER BY position_id', [organisationId])

/** With those that are over, oldest first. */
export const listAssignments = (tx: ReadTx, organisationId: number): Promise<Assignment[]> =>
  findRows(tx, assignments, 'organisation_id = ? ORDER BY assigned_at, id', [organisationId])

export const listOpenAssignmentsOfPersona = (tx: ReadTx, personaId: number): Promise<Assignment[]> =>
  findRows(tx, assignments, 'persona_id = ? AND unassigned_at IS NULL ORDER BY organisation_id, position_id', [
    personaId,
  ])

export const listAssignmentsOfPosition = (tx: ReadTx, positionId: number): Promise<Assignment[]> =>
  findRows(tx, assignments, 'position_id = ? ORDER BY id', [positionId])
