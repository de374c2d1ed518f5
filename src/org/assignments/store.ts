import { column, integer } from '../../db/columns.ts'
import type { ReadTx, Tx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { nextCounter, raiseCounter, sqlOf } from '../../db/tx.ts'

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

/** The first of `count` new ids. */
export const nextAssignmentIds = (tx: Tx, count: number): Promise<number> => nextCounter(tx, 'assignments', count)

export const raiseAssignmentIds = (tx: Tx, atLeast: number): Promise<void> => raiseCounter(tx, 'assignments', atLeast)

export const findAssignment = (tx: ReadTx, id: number): Promise<Assignment | undefined> => findRow(tx, assignments, id)

export async function findHolder(tx: ReadTx, positionId: number): Promise<Assignment | undefined> {
  const [open] = await findRows(tx, assignments, 'position_id = ? AND unassigned_at IS NULL', [positionId])
  return open
}

export const listOpenAssignments = (tx: ReadTx, organisationId: number): Promise<Assignment[]> =>
  findRows(tx, assignments, 'organisation_id = ? AND unassigned_at IS NULL ORDER BY position_id', [organisationId])

/** Lists past and present assignments, oldest first. */
export const listAssignments = (tx: ReadTx, organisationId: number): Promise<Assignment[]> =>
  findRows(tx, assignments, 'organisation_id = ? ORDER BY assigned_at, id', [organisationId])

export const listOpenAssignmentsOfPersona = (tx: ReadTx, personaId: number): Promise<Assignment[]> =>
  findRows(tx, assignments, 'persona_id = ? AND unassigned_at IS NULL ORDER BY organisation_id, position_id', [
    personaId,
  ])

export const listAssignmentsOfPosition = (tx: ReadTx, positionId: number): Promise<Assignment[]> =>
  findRows(tx, assignments, 'position_id = ? ORDER BY id', [positionId])

/** Returns those of the ids that are taken. */
export async function listTakenAssignmentIds(tx: ReadTx, ids: readonly number[]): Promise<Set<number>> {
  const taken = new Set<number>()
  for (let from = 0; from < ids.length; from += 500) {
    const some = ids.slice(from, from + 500)
    const marks = some.map(() => '?').join(', ')
    const found = await assignmentIds.all(sqlOf(tx), `SELECT id FROM position_assignments WHERE id IN (${marks})`, some)
    for (const id of found) taken.add(id)
  }
  return taken
}

const assignmentIds = column('id', integer)

/** Lists the personas that hold a seat in any organisation except the given one. */
export async function listSeatedPersonas(tx: ReadTx, exceptOrganisationId = 0): Promise<Set<number>> {
  const ids = await column('persona_id', integer).all(
    sqlOf(tx),
    'SELECT DISTINCT persona_id FROM position_assignments WHERE unassigned_at IS NULL AND organisation_id <> ?',
    [exceptOrganisationId],
  )
  return new Set(ids)
}
