import type { ReadTx } from '../db/port.ts'
import { type Assignment, listOpenAssignments } from './assignments/store.ts'
import type { AssignmentView } from './assignments/contract.ts'
import type { ChartSeat } from './chart/contract.ts'
import type { Organisation } from './organisations/store.ts'
import { listPersonas, type Persona } from './personas/store.ts'
import type { Authority, PositionView } from './positions/contract.ts'
import { listAuthorities, listPositions, type Position } from './positions/store.ts'
import { listRoles, type Role } from './roles/store.ts'

export interface Holder {
  assignment: Assignment
  persona: Persona
}

/** One organisation at the time of a transaction: five queries, whatever its size. */
export interface Structure {
  readonly organisation: Organisation
  readonly positions: readonly Position[]
  readonly byId: ReadonlyMap<number, Position>
  readonly byTitle: ReadonlyMap<string, Position>
  readonly roles: ReadonlyMap<number, Role>
  readonly holders: ReadonlyMap<number, Holder>
  readonly authorities: ReadonlyMap<number, readonly Authority[]>
}

export async function loadStructure(tx: ReadTx, organisation: Organisation): Promise<Structure> {
  const positions = await listPositions(tx, organisation.id)
  const roles = new Map((await listRoles(tx)).map((role) => [role.id, role]))
  const personas = new Map((await listPersonas(tx)).map((persona) => [persona.id, persona]))
  const holders = new Map<number, Holder>()
  for (const assignment of await listOpenAssignments(tx, organisation.id)) {
    const persona = personas.get(assignment.personaId)
    if (assignment.positionId !== null && persona !== undefined)
      holders.set(assignment.positionId, { assignment, persona })
  }
  const authorities = Map.groupBy(await listAuthorities(tx, organisation.id), (each) => each.positionId)
  return {
    organisation,
    positions,
    byId: new Map(positions.map((position) => [position.id, position])),
    byTitle: new Map(positions.map((position) => [position.title, position])),
    roles,
    holders,
    authorities: new Map(
      [...authorities].map(([positionId, list]) => [
        positionId,
        list.map(({ kind, limitAmount, unit, onBreach }) => ({ kind, limit: limitAmount, unit, onBreach })),
      ]),
    ),
  }
}

/**
 * Paths as documents and cards show them: `data` stands for the data root, whose own path differs between
 * installations.
 */
export const skillFile = (slug: string): string => `data/personas/${slug}/skill.md`
export const experienceFile = (slug: string): string => `data/personas/${slug}/experience.md`

export const assignmentView = ({ assignment, persona }: Holder): AssignmentView => ({
  personaAssignmentId: assignment.id,
  personaId: persona.id,
  personaSlug: persona.slug,
  personaName: persona.name,
  assignedAt: assignment.assignedAt,
  skillFile: skillFile(persona.slug),
  experienceFile: experienceFile(persona.slug),
})

export function positionView(structure: Structure, position: Position): PositionView {
  const holder = structure.holders.get(position.id)
  const titleOf = (id: number | null): string | null => (id === null ? null : (structure.byId.get(id)?.title ?? null))
  return {
    positionId: position.id,
    organisationId: position.organisationId,
    title: position.title,
    role: structure.roles.get(position.roleId)?.name ?? '',
    level: position.level,
    reportsTo: titleOf(position.reportsToId),
    escalatesTo: titleOf(position.escalatesToId),
    isCrossCutting: position.isCrossCutting,
    isLead: structure.organisation.leadPositionId === position.id,
    assignment: holder === undefined ? null : assignmentView(holder),
    authority: [...(structure.authorities.get(position.id) ?? [])],
  }
}

export function chartSeat(structure: Structure, position: Position): ChartSeat {
  const holder = structure.holders.get(position.id)
  return {
    positionId: position.id,
    title: position.title,
    role: structure.roles.get(position.roleId)?.name ?? '',
    level: position.level,
    isCrossCutting: position.isCrossCutting,
    isLead: structure.organisation.leadPositionId === position.id,
    reportsToId: position.reportsToId,
    escalatesToId: position.escalatesToId,
    holder:
      holder === undefined
        ? null
        : { personaId: holder.persona.id, name: holder.persona.name, slug: holder.persona.slug },
  }
}
