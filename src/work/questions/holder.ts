import type { ReadTx } from '../../db/port.ts'
import { findHolder } from '../../org/assignments/store.ts'
import { findOrganisation } from '../../org/organisations/store.ts'
import { findPersona, type Persona } from '../../org/personas/store.ts'
import { findPosition } from '../../org/positions/store.ts'
import type { Hop, Rung } from './contract.ts'

/** Returns the seat that leads an organisation as a rung, if the organisation has one. */
export async function leadRungOf(tx: ReadTx, organisationId: number): Promise<Rung | null> {
  const positionId = (await findOrganisation(tx, organisationId))?.leadPositionId ?? null
  const position = positionId === null ? undefined : await findPosition(tx, positionId)
  return position === undefined ? null : { kind: 'lead', name: `lead:${position.title}`, positionId: position.id }
}

export type Holder = { readonly persona: Persona } | { readonly absent: NonNullable<Hop['skipped']> }

/** Returns the persona on a seat of an organisation that an agent can be started for, or why there is none. */
export async function holderOf(tx: ReadTx, positionId: number | null, organisationId: number): Promise<Holder> {
  const seat = positionId === null ? undefined : await findPosition(tx, positionId)
  if (seat === undefined || seat.organisationId !== organisationId) return { absent: 'vacant' }
  const assignment = await findHolder(tx, seat.id)
  const persona = assignment === undefined ? undefined : await findPersona(tx, assignment.personaId)
  if (persona === undefined || persona.status === 'archived') return { absent: 'vacant' }
  // Persona types 3 and 4 are people.
  return persona.personaTypeId > 2 ? { absent: 'person' } : { persona }
}
