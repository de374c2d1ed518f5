import { operator } from './work.ts'
import type { TestOrg } from './org.ts'

export interface Seated {
  readonly positionId: number
  /** Of its holder. */
  readonly personaId: number
}

/** Makes a seat in Development, or in another organisation, and a persona of the same name that holds it. */
export async function makeSeat(
  { personas, positions, assignments }: Pick<TestOrg, 'personas' | 'positions' | 'assignments'>,
  name: string,
  organisation = 'Development',
): Promise<Seated> {
  const { positionId } = await positions.create(operator, organisation, {
    title: `Seat of ${name}`,
    role: 'qa',
    level: 1,
    reportsTo: null,
    escalatesTo: null,
    isCrossCutting: false,
  })
  const { personaId, slug } = await personas.create(operator, {
    name,
    role: 'qa',
    type: 'agent',
    subtype: 'internal',
    canCreateChannel: false,
  })
  await assignments.assign(operator, positionId, slug, false)
  return { positionId, personaId }
}
