import type { ReadTx } from '../../db/port.ts'
import { listSeatedPersonas, listTakenAssignmentIds } from '../assignments/store.ts'
import { findOrganisation, listSettings } from '../organisations/store.ts'
import { listPersonas } from '../personas/store.ts'
import { listSeatOwners } from '../positions/store.ts'
import { listRoles } from '../roles/store.ts'
import { loadStructure } from '../structure.ts'
import type { CurrentState } from './projection.ts'
import type { OrgDocument } from './model.ts'

/** Loads the part of the store that concerns the document: a dozen queries, whatever its size. */
export async function loadCurrentState(tx: ReadTx, { organisation, positions }: OrgDocument): Promise<CurrentState> {
  const { organisationId } = organisation
  const row = organisationId === undefined ? undefined : await findOrganisation(tx, organisationId)
  const structure = row === undefined ? null : await loadStructure(tx, row)
  const settings = row === undefined ? [] : await listSettings(tx, row.id)
  const unknownSeats = positions.flatMap(({ positionId }) =>
    positionId === undefined || structure?.byId.has(positionId) === true ? [] : [positionId],
  )
  const owners = await listSeatOwners(tx, unknownSeats)
  const assignmentIds = positions.flatMap(({ assignment }) => assignment?.personaAssignmentId ?? [])
  return {
    structure,
    settings: new Map(settings.map(({ key, value }) => [key, value])),
    roles: await listRoles(tx),
    personas: await listPersonas(tx),
    // A seat that this organisation had and removed may return under its id.
    foreignSeats: new Map([...owners].filter(([, owner]) => owner !== organisationId)),
    assignmentIds: await listTakenAssignmentIds(tx, assignmentIds),
    seatedElsewhere: await listSeatedPersonas(tx, row?.id),
  }
}
