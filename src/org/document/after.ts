import { fold } from '../../kernel/text.ts'
import type { Persona } from '../personas/store.ts'
import type { Position } from '../positions/store.ts'
import type { Role } from '../roles/store.ts'
import type { Structure } from '../structure.ts'
import type { DocAssignment, DocPosition, DocRole, OrgDocument } from './model.ts'

/** The store as an import finds it. */
export interface Present {
  /** The organisation whose number the document names, if there is one. */
  structure: Structure | null
  /** Only its own; a key that is absent has its default. */
  settings: ReadonlyMap<string, string>
  roles: readonly Role[]
  personas: readonly Persona[]
  /** Numbers of the document that are, or were, seats of another organisation. */
  foreignSeats: ReadonlyMap<number, number>
  /** Numbers of the document that assignments have already. */
  assignmentIds: ReadonlySet<number>
  /** Personas on seats of other organisations. */
  seatedElsewhere: ReadonlySet<number>
}

export interface RoleAfter {
  /** Null: not in the document. */
  readonly doc: DocRole | null
  /** Null: will be made. */
  readonly row: Role | null
  readonly name: string
}

export interface SeatAfter {
  readonly doc: DocPosition | null
  readonly row: Position | null
  readonly title: string
  role: RoleAfter | null
  reportsTo: SeatAfter | null
  escalatesTo: SeatAfter | null
  holder: PersonaAfter | null
}

export interface PersonaAfter {
  /** Each place where the document speaks of it. */
  readonly docs: DocAssignment[]
  readonly row: Persona | null
  /** Whom the document's number means here, where that is somebody else. */
  readonly other: Persona | null
  /** Several have the name, and nothing but the name is given. */
  readonly namesakes: readonly Persona[]
  /** Null: none is known by the name given. */
  role: RoleAfter | null
}

/** The organisation as it will be, with what the document leaves out as it is: faults, plan and import all look at this. */
export interface After {
  roles: readonly RoleAfter[]
  seats: readonly SeatAfter[]
  byTitle: ReadonlyMap<string, SeatAfter>
  /** Also by the title that a seat has now and will not have then, unless another takes it. */
  byAnyTitle: ReadonlyMap<string, SeatAfter>
  personas: readonly PersonaAfter[]
}

export function foresee(document: OrgDocument, present: Present): After {
  const roles = rolesAfter(document, present)
  const byId = new Map(roles.flatMap((role) => (role.row === null ? [] : [[role.row.id, role] as const])))
  // A role that is renamed may still be called by the name that it had, unless another has taken it.
  const byName = new Map([
    ...roles.flatMap((role) => (role.row === null ? [] : [[fold(role.row.name), role] as const])),
    ...roles.map((role) => [fold(role.name), role] as const),
  ])
  const seats = seatsAfter(document, present, (seat, said) =>
    said !== undefined ? (byName.get(fold(said)) ?? null) : seat === null ? null : (byId.get(seat.roleId) ?? null),
  )
  const byTitle = new Map<string, SeatAfter>()
  for (const seat of seats) if (!byTitle.has(seat.title)) byTitle.set(seat.title, seat)
  const byAnyTitle = new Map(byTitle)
  for (const seat of seats)
    if (seat.row !== null && !byAnyTitle.has(seat.row.title)) byAnyTitle.set(seat.row.title, seat)
  drawLines(seats, byAnyTitle)
  const personas = personasAfter(seats, present, (persona, said) =>
    said !== undefined
      ? (byName.get(fold(said)) ?? null)
      : persona === null
        ? undefined
        : (byId.get(persona.roleId) ?? null),
  )
  return { roles, seats, byTitle, byAnyTitle, personas }
}

/** Roles are shared and named by everybody, so a name counts before a number; a number alone would rename. */
function rolesAfter(document: OrgDocument, present: Present): RoleAfter[] {
  const byId = new Map(present.roles.map((role) => [role.id, role]))
  const byName = new Map(present.roles.map((role) => [fold(role.name), role]))
  const after: RoleAfter[] = []
  const taken = new Set<Role>()
  for (const doc of document.roles) {
    const named = byName.get(fold(doc.name))
    const row = named ?? (doc.roleId === undefined ? undefined : byId.get(doc.roleId)) ?? null
    if (row !== null) taken.add(row)
    after.push({ doc, row, name: named?.name ?? doc.name })
  }
  for (const row of present.roles) if (!taken.has(row)) after.push({ doc: null, row, name: row.name })
  return after
}

/** A number counts before a title; without a number here, a title that is here is that seat. */
function seatsAfter(
  document: OrgDocument,
  { structure }: Present,
  roleOf: (seat: Position | null, said: string | undefined) => RoleAfter | null,
): SeatAfter[] {
  const taken = new Set<Position>()
  const numbered = new Map<DocPosition, Position>()
  for (const doc of document.positions) {
    const row = doc.positionId === undefined ? undefined : structure?.byId.get(doc.positionId)
    if (row === undefined || taken.has(row)) continue
    numbered.set(doc, row)
    taken.add(row)
  }
  const seats = document.positions.map((doc): SeatAfter => {
    let row = numbered.get(doc) ?? null
    const titled = structure?.byTitle.get(doc.title)
    if (row === null && titled !== undefined && !taken.has(titled)) {
      row = titled
      taken.add(titled)
    }
    const role = roleOf(row, doc.role)
    return { doc, row, title: doc.title, role, reportsTo: null, escalatesTo: null, holder: null }
  })
  for (const row of structure?.positions ?? []) {
    if (taken.has(row)) continue
    const role = roleOf(row, undefined)
    seats.push({ doc: null, row, title: row.title, role, reportsTo: null, escalatesTo: null, holder: null })
  }
  return seats
}

function drawLines(seats: readonly SeatAfter[], byTitle: ReadonlyMap<string, SeatAfter>): void {
  const byId = new Map(seats.flatMap((seat) => (seat.row === null ? [] : [[seat.row.id, seat] as const])))
  const above = (said: string | null | undefined, id: number | null | undefined): SeatAfter | null => {
    if (said === null) return null
    if (said !== undefined) return byTitle.get(said) ?? null
    return id === null || id === undefined ? null : (byId.get(id) ?? null)
  }
  for (const seat of seats) {
    seat.reportsTo = above(seat.doc?.reportsTo, seat.row?.reportsToId)
    seat.escalatesTo = above(seat.doc?.escalatesTo, seat.row?.escalatesToId)
  }
}

/** One persona may hold several seats: whatever the document calls it by, it is one. */
function personasAfter(
  seats: readonly SeatAfter[],
  present: Present,
  /** Undefined: nothing says. */
  roleOf: (persona: Persona | null, said: string | undefined) => RoleAfter | null | undefined,
): PersonaAfter[] {
  const find = findPersonas(present)
  const after = new Map<string, PersonaAfter>()
  const idOfSlug = new Map<string, number>()
  for (const { doc } of seats) {
    const { personaId, personaSlug } = doc?.assignment ?? {}
    if (personaId !== undefined && personaSlug !== undefined) idOfSlug.set(personaSlug, personaId)
  }
  for (const seat of seats) {
    const doc = seat.doc?.assignment
    if (doc === null || doc === undefined) continue
    const found = find(doc)
    const id = doc.personaId ?? (doc.personaSlug === undefined ? undefined : idOfSlug.get(doc.personaSlug))
    const key = found.row === null ? keyOfNew(doc, id) : `row ${found.row.id}`
    let persona = after.get(key)
    if (persona === undefined) {
      const role = roleOf(found.row, doc.personaRole)
      persona = { docs: [], ...found, role: role === undefined ? seat.role : role }
      after.set(key, persona)
    }
    persona.docs.push(doc)
    seat.holder = persona
  }
  return [...after.values()]
}

const keyOfNew = (doc: DocAssignment, id: number | undefined): string =>
  id !== undefined
    ? `id ${id}`
    : doc.personaSlug !== undefined
      ? `slug ${doc.personaSlug}`
      : `name ${fold(doc.personaName ?? '')}`

/**
 * By number; but where number and slug mean two, the file is of another installation, whose numbers mean nothing here:
 * then by slug, or by name and role, so that a file imported twice does not make the same persona twice.
 */
function findPersonas({
  personas,
  roles,
}: Present): (doc: DocAssignment) => Pick<PersonaAfter, 'row' | 'other' | 'namesakes'> {
  const byId = new Map(personas.map((persona) => [persona.id, persona]))
  const bySlug = new Map(personas.map((persona) => [persona.slug, persona]))
  const byName = Map.groupBy(personas, (persona) => fold(persona.name))
  const roleNames = new Map(roles.map((role) => [role.id, fold(role.name)]))
  return (doc) => {
    const numbered = doc.personaId === undefined ? undefined : byId.get(doc.personaId)
    const isSame = numbered === undefined || doc.personaSlug === undefined || numbered.slug === doc.personaSlug
    const other = isSame ? null : numbered
    if (numbered !== undefined && isSame) return { row: numbered, other, namesakes: [] }
    const slugged = doc.personaSlug === undefined ? undefined : bySlug.get(doc.personaSlug)
    if (slugged !== undefined) return { row: slugged, other, namesakes: [] }
    const named = doc.personaName === undefined ? [] : (byName.get(fold(doc.personaName)) ?? [])
    if (other !== null) {
      const alike = named.filter(
        (each) => doc.personaRole === undefined || roleNames.get(each.roleId) === fold(doc.personaRole),
      )
      return { row: alike.length === 1 ? (alike[0] ?? null) : null, other, namesakes: [] }
    }
    const isNameOnly = doc.personaId === undefined && doc.personaSlug === undefined
    if (!isNameOnly || named.length === 0) return { row: null, other, namesakes: [] }
    return named.length === 1 ? { row: named[0] ?? null, other, namesakes: [] } : { row: null, other, namesakes: named }
  }
}
