import { fold } from '../../kernel/text.ts'
import type { Persona } from '../personas/store.ts'
import type { Position } from '../positions/store.ts'
import type { Role } from '../roles/store.ts'
import type { Structure } from '../structure.ts'
import type { DocAssignment, DocPosition, DocRole, OrgDocument } from './model.ts'

/** The store at the time of an import. */
export interface CurrentState {
  /** The organisation with the id in the document, if it exists. */
  structure: Structure | null
  /** The organisation's own settings; an absent key has its default. */
  settings: ReadonlyMap<string, string>
  roles: readonly Role[]
  personas: readonly Persona[]
  /** Position ids in the document that belong, or belonged, to another organisation, with that organisation's id. */
  foreignSeats: ReadonlyMap<number, number>
  /** Assignment ids in the document that are already taken. */
  assignmentIds: ReadonlySet<number>
  /** Personas on seats of other organisations. */
  seatedElsewhere: ReadonlySet<number>
}

export interface ProjectedRole {
  /** Null: the role is not in the document. */
  readonly doc: DocRole | null
  /** Null: the role will be created. */
  readonly row: Role | null
  readonly name: string
}

export interface ProjectedSeat {
  readonly doc: DocPosition | null
  readonly row: Position | null
  readonly title: string
  role: ProjectedRole | null
  reportsTo: ProjectedSeat | null
  escalatesTo: ProjectedSeat | null
  holder: ProjectedPersona | null
}

export interface ProjectedPersona {
  /** All assignments in the document that name this persona. */
  readonly docs: DocAssignment[]
  readonly row: Persona | null
  /** The persona that has the document's id in this store, where it is a different one. */
  readonly other: Persona | null
  /** All personas with the name, where the document gives only a name and several have it. */
  readonly namesakes: readonly Persona[]
  /** Null: there is no role with the given name. */
  role: ProjectedRole | null
}

/**
 * The organisation after the import; everything that the document leaves out stays as it is. Validation, plan and
 * import all use this.
 */
export interface Projection {
  roles: readonly ProjectedRole[]
  seats: readonly ProjectedSeat[]
  byTitle: ReadonlyMap<string, ProjectedSeat>
  /** Also contains the titles that seats have now and will lose, unless another seat takes them. */
  byAnyTitle: ReadonlyMap<string, ProjectedSeat>
  personas: readonly ProjectedPersona[]
}

export function projectImport(document: OrgDocument, current: CurrentState): Projection {
  const roles = projectRoles(document, current)
  const byId = new Map(roles.flatMap((role) => (role.row === null ? [] : [[role.row.id, role] as const])))
  // A role that is renamed may still be named by its former name, unless another role has taken it.
  const byName = new Map([
    ...roles.flatMap((role) => (role.row === null ? [] : [[fold(role.row.name), role] as const])),
    ...roles.map((role) => [fold(role.name), role] as const),
  ])
  const seats = projectSeats(document, current, (seat, stated) =>
    stated !== undefined ? (byName.get(fold(stated)) ?? null) : seat === null ? null : (byId.get(seat.roleId) ?? null),
  )
  const byTitle = new Map<string, ProjectedSeat>()
  for (const seat of seats) if (!byTitle.has(seat.title)) byTitle.set(seat.title, seat)
  const byAnyTitle = new Map(byTitle)
  for (const seat of seats)
    if (seat.row !== null && !byAnyTitle.has(seat.row.title)) byAnyTitle.set(seat.row.title, seat)
  connectLines(seats, byAnyTitle)
  const personas = projectPersonas(seats, current, (persona, stated) =>
    stated !== undefined
      ? (byName.get(fold(stated)) ?? null)
      : persona === null
        ? undefined
        : (byId.get(persona.roleId) ?? null),
  )
  return { roles, seats, byTitle, byAnyTitle, personas }
}

/**
 * Roles are shared between organisations and named by many documents, so a name takes precedence over an id; an id
 * alone would rename the role.
 */
function projectRoles(document: OrgDocument, current: CurrentState): ProjectedRole[] {
  const byId = new Map(current.roles.map((role) => [role.id, role]))
  const byName = new Map(current.roles.map((role) => [fold(role.name), role]))
  const projected: ProjectedRole[] = []
  const taken = new Set<Role>()
  for (const doc of document.roles) {
    const named = byName.get(fold(doc.name))
    const row = named ?? (doc.roleId === undefined ? undefined : byId.get(doc.roleId)) ?? null
    if (row !== null) taken.add(row)
    projected.push({ doc, row, name: named?.name ?? doc.name })
  }
  for (const row of current.roles) if (!taken.has(row)) projected.push({ doc: null, row, name: row.name })
  return projected
}

/** An id takes precedence over a title; without an id of this organisation, a title that exists means that seat. */
function projectSeats(
  document: OrgDocument,
  { structure }: CurrentState,
  roleOf: (seat: Position | null, stated: string | undefined) => ProjectedRole | null,
): ProjectedSeat[] {
  const taken = new Set<Position>()
  const numbered = new Map<DocPosition, Position>()
  for (const doc of document.positions) {
    const row = doc.positionId === undefined ? undefined : structure?.byId.get(doc.positionId)
    if (row === undefined || taken.has(row)) continue
    numbered.set(doc, row)
    taken.add(row)
  }
  const seats = document.positions.map((doc): ProjectedSeat => {
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

function connectLines(seats: readonly ProjectedSeat[], byTitle: ReadonlyMap<string, ProjectedSeat>): void {
  const byId = new Map(seats.flatMap((seat) => (seat.row === null ? [] : [[seat.row.id, seat] as const])))
  const above = (stated: string | null | undefined, id: number | null | undefined): ProjectedSeat | null => {
    if (stated === null) return null
    if (stated !== undefined) return byTitle.get(stated) ?? null
    return id === null || id === undefined ? null : (byId.get(id) ?? null)
  }
  for (const seat of seats) {
    seat.reportsTo = above(seat.doc?.reportsTo, seat.row?.reportsToId)
    seat.escalatesTo = above(seat.doc?.escalatesTo, seat.row?.escalatesToId)
  }
}

/** One persona may hold several seats: all references in the document, whatever their form, lead to the same entry. */
function projectPersonas(
  seats: readonly ProjectedSeat[],
  current: CurrentState,
  /** Undefined: neither the document nor the store names a role. */
  roleOf: (persona: Persona | null, stated: string | undefined) => ProjectedRole | null | undefined,
): ProjectedPersona[] {
  const find = findPersonas(current)
  const projected = new Map<string, ProjectedPersona>()
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
    let persona = projected.get(key)
    if (persona === undefined) {
      const role = roleOf(found.row, doc.personaRole)
      persona = { docs: [], ...found, role: role === undefined ? seat.role : role }
      projected.set(key, persona)
    }
    persona.docs.push(doc)
    seat.holder = persona
  }
  return [...projected.values()]
}

const keyOfNew = (doc: DocAssignment, id: number | undefined): string =>
  id !== undefined
    ? `id ${id}`
    : doc.personaSlug !== undefined
      ? `slug ${doc.personaSlug}`
      : `name ${fold(doc.personaName ?? '')}`

/**
 * Finds a persona by id. Where id and slug mean two different personas, the file comes from another installation, whose
 * ids mean nothing here: then by slug, or by name and role, so that a file imported twice does not create the same
 * persona twice.
 */
function findPersonas({
  personas,
  roles,
}: CurrentState): (doc: DocAssignment) => Pick<ProjectedPersona, 'row' | 'other' | 'namesakes'> {
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
