import type { Position } from '../positions/store.ts'
import type { Assignment } from './store.ts'

export const newAssignment = (id: number, position: Position, personaId: number, at: string): Assignment => ({
  id,
  organisationId: position.organisationId,
  positionId: position.id,
  positionTitle: position.title,
  personaId,
  assignedAt: at,
  unassignedAt: null,
})
