import { operatorPersona, systemPersona } from '../../kernel/ids.ts'
import type { PersonaView } from './contract.ts'
import type { Persona } from './store.ts'

type Kind = Pick<PersonaView, 'type' | 'subtype'>

/** The four rows of persona_types. */
const kinds: readonly (Kind & { id: number })[] = [
  { id: 1, type: 'agent', subtype: 'internal' },
  { id: 2, type: 'agent', subtype: 'external' },
  { id: 3, type: 'person', subtype: 'internal' },
  { id: 4, type: 'person', subtype: 'external' },
]

export const kindId = ({ type, subtype }: Kind): number =>
  (kinds.find((kind) => kind.type === type && kind.subtype === subtype) as { id: number }).id

export const kindOf = ({ personaTypeId }: Pick<Persona, 'personaTypeId'>): Kind => {
  const { type, subtype } = kinds[personaTypeId - 1] as Kind
  return { type, subtype }
}

/** A person needs no text about themselves, and the system is not an agent. */
export const hasFiles = (persona: Pick<Persona, 'id' | 'personaTypeId'>): boolean =>
  kindOf(persona).type === 'agent' && persona.id !== systemPersona

/** Reports whether every installation refers to the persona from its start. */
export const isSeeded = ({ id }: Pick<Persona, 'id'>): boolean => id === operatorPersona || id === systemPersona
