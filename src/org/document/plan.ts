import { shorten } from '../../kernel/text.ts'
import { type Intent, organisationSettings, type SettingKey } from '../organisations/contract.ts'
import type { Organisation } from '../organisations/store.ts'
import type { Persona } from '../personas/store.ts'
import type { Authority } from '../positions/contract.ts'
import type { Role } from '../roles/store.ts'
import type { Holder } from '../structure.ts'
import type { Projection, ProjectedPersona, CurrentState, ProjectedRole, ProjectedSeat } from './projection.ts'
import type { PlannedChange } from './contract.ts'
import type { OrgDocument } from './model.ts'

/** The steps of an import, decided before anything is changed; preview and import use the same plan. */
export interface Plan {
  organisation: { row: Organisation | null; patch: Partial<Organisation> }
  roles: { role: ProjectedRole; patch: Partial<Role> }[]
  personas: { persona: ProjectedPersona; patch: Partial<Persona> }[]
  /** Seats to create or to change. */
  seats: ProjectedSeat[]
  limits: { seat: ProjectedSeat; limit: Authority; isNew: boolean }[]
  settings: { key: SettingKey; value: string }[]
  seatings: { seat: ProjectedSeat; persona: ProjectedPersona; displaced: Holder | null }[]
  /** Undefined: unchanged. */
  lead: ProjectedSeat | null | undefined
  /** Null: intent.md stays as it is. */
  intent: Intent | null
  changes: PlannedChange[]
  /** Conflicts that only --force overrides, one sentence each. */
  conflicts: string[]
}

export interface PlanOptions {
  force: boolean
  withIntent: boolean
  /** The current lists of intent.md; null where it has none. */
  intent: Intent | null
}

interface Planning extends PlanOptions {
  document: OrgDocument
  current: CurrentState
  projection: Projection
  plan: Plan
}

export function planImport(
  document: OrgDocument,
  current: CurrentState,
  projection: Projection,
  options: PlanOptions,
): Plan {
  const plan: Plan = {
    organisation: { row: current.structure?.organisation ?? null, patch: {} },
    roles: [],
    personas: [],
    seats: [],
    limits: [],
    settings: [],
    seatings: [],
    lead: undefined,
    intent: null,
    changes: [],
    conflicts: [],
  }
  const planning: Planning = { document, current, projection, plan, ...options }
  planOrganisation(planning)
  for (const role of projection.roles) planRole(planning, role)
  for (const persona of projection.personas) planPersona(planning, persona)
  for (const seat of projection.seats) planSeat(planning, seat)
  return plan
}

type Fields = PlannedChange['fields']
type Entity = PlannedChange['entity']

function note(plan: Plan, action: PlannedChange['action'], entity: Entity, label: string, fields: Fields = []): void {
  plan.changes.push({ action, entity, label, fields, note: null })
}

function noteCreated(plan: Plan, entity: Entity, label: string, name: string): void {
  plan.changes.push({ action: 'create', entity, label, fields: [], note: name })
}

const noteKept = (plan: Plan, entity: Entity, label: string, fields: Fields): void =>
  note(plan, fields.length === 0 ? 'unchanged' : 'update', entity, label, fields)

/** Reports whether the import must stop here and records the conflict; with --force the document wins. */
function isConflict(
  { plan, force }: Planning,
  entity: Entity,
  label: string,
  text: string,
  fields: Fields = [],
): boolean {
  if (force) return false
  plan.conflicts.push(text)
  plan.changes.push({ action: 'conflict', entity, label, fields, note: text })
  return true
}

/** Formats a value for the preview, on one line. */
const previewText = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  const text = String(value)
  return shorten(/[\n\r\t]/.test(text) ? JSON.stringify(text) : text, 120)
}

function differences<Row extends object>(
  row: Row,
  wanted: { [Name in keyof Row]?: Row[Name] | undefined },
): { patch: Partial<Row>; fields: Fields } {
  const patch: Partial<Row> = {}
  const fields: Fields = []
  for (const name of Object.keys(wanted) as (keyof Row & string)[]) {
    const to = wanted[name]
    if (to === undefined || to === row[name]) continue
    patch[name] = to
    fields.push({ field: name, from: previewText(row[name]), to: previewText(to) })
  }
  return { patch, fields }
}

function planOrganisation(planning: Planning): void {
  const { plan, document, current } = planning
  const doc = document.organisation
  const { row } = plan.organisation
  const label = `organisation_id ${row?.id ?? doc.organisationId ?? 'new'}`
  if (row === null) noteCreated(plan, 'organisation', label, doc.name ?? '')
  else {
    const { name, purpose, description, status } = doc
    const { patch, fields } = differences<Organisation>(row, { name, purpose, description, status })
    const isRenamed = patch.name !== undefined || patch.purpose !== undefined
    const isOther = isRenamed && doc.slug !== undefined && doc.slug !== row.slug
    const other = `organisation_id ${row.id} is ${row.slug} here, but ${doc.slug} in the document; use --force to rename it, or omit organisation_id to create a new one`
    if (!isOther || !isConflict(planning, 'organisation', label, other, fields))
      noteKept(plan, 'organisation', label, fields)
    plan.organisation.patch = patch
  }
  planLead(planning)
  for (const { key, value } of doc.settings ?? []) {
    const name = key as SettingKey
    const own = current.settings.get(key) ?? organisationSettings[name]
    if (own === value) continue
    plan.settings.push({ key: name, value })
    note(plan, 'update', 'setting', key, [{ field: 'value', from: own, to: value }])
  }
  planIntent(planning)
}

function planLead({ plan, document, current: { structure }, projection }: Planning): void {
  const title = document.organisation.lead
  if (title === undefined) return
  const lead = title === null ? null : (projection.byAnyTitle.get(title) ?? null)
  const current = structure?.organisation.leadPositionId ?? null
  if ((lead === null ? null : (lead.row?.id ?? 0)) === current) return
  plan.lead = lead
  const from = current === null ? null : (structure?.byId.get(current)?.title ?? null)
  note(plan, structure === null ? 'create' : 'update', 'organisation', 'lead', [
    { field: 'lead', from: previewText(from), to: previewText(title) },
  ])
}

/** Intent is content: a new organisation gets it, an existing one only on request. */
function planIntent({ plan, document, current, intent: now, withIntent }: Planning): void {
  const { intent } = document.organisation
  if (intent === null || intent === undefined) return
  if (current.structure === null) {
    plan.intent = intent
    return note(plan, 'create', 'intent', 'intent')
  }
  if (JSON.stringify(now) === JSON.stringify(intent)) return
  if (withIntent) plan.intent = intent
  plan.changes.push({
    action: withIntent ? 'update' : 'unchanged',
    entity: 'intent',
    label: 'intent',
    fields: [],
    note: withIntent ? null : 'intent differs, not imported; use --with-intent to write it',
  })
}

/** Roles are shared: renaming one by its id would change it for other organisations too. */
function planRole(planning: Planning, role: ProjectedRole): void {
  const { plan } = planning
  const { doc, row, name } = role
  if (doc === null) return
  if (row === null) {
    plan.roles.push({ role, patch: {} })
    return noteCreated(plan, 'role', `role_id ${doc.roleId ?? 'new'}`, name)
  }
  const label = `role_id ${row.id}`
  const { patch, fields } = differences<Role>(row, { name, description: doc.description })
  const renamed = `role_id ${row.id} is "${row.name}" here, but "${name}" in the document; use --force to rename it in all organisations`
  if (patch.name === undefined || !isConflict(planning, 'role', label, renamed, fields))
    noteKept(plan, 'role', label, fields)
  if (fields.length > 0) plan.roles.push({ role, patch })
}

function planPersona(planning: Planning, persona: ProjectedPersona): void {
  const { plan, current } = planning
  const { docs, row, other, role } = persona
  const [doc] = docs
  const remedy = row === null ? 'create it with a new id' : `use ${row.slug}`
  const isOther =
    other !== null &&
    isConflict(
      planning,
      'persona',
      `persona_id ${other.id}`,
      `persona_id ${other.id} is ${other.slug} here, but ${doc?.personaSlug} in the document; use --force to ${remedy}`,
    )
  if (row === null) {
    plan.personas.push({ persona, patch: {} })
    const id = other === null ? (doc?.personaId ?? 'new') : 'new'
    if (!isOther) noteCreated(plan, 'persona', `persona_id ${id}`, doc?.personaName ?? '')
    return
  }
  const name = docs.find((each) => each.personaName !== undefined)?.personaName
  const status = docs.find((each) => each.personaStatus !== undefined)?.personaStatus
  const { patch, fields } = differences<Persona>(row, { name, status })
  if (role !== null && role.row?.id !== row.roleId) {
    const own = current.roles.find((each) => each.id === row.roleId)?.name
    fields.push({ field: 'role', from: previewText(own), to: previewText(role.name) })
  }
  const label = `persona_id ${row.id}`
  const renamed = `persona ${row.slug} is called "${row.name}" here, but "${name}" in the document, and does not belong to this organisation alone; use --force to rename it`
  const isShared = patch.name !== undefined && !isOurs(current, row)
  if (!isShared || !isConflict(planning, 'persona', label, renamed, fields)) noteKept(plan, 'persona', label, fields)
  if (fields.length > 0) plan.personas.push({ persona, patch })
}

/** Reports whether the persona holds a seat of this organisation and of no other. */
const isOurs = ({ structure, seatedElsewhere }: CurrentState, persona: Persona): boolean =>
  !seatedElsewhere.has(persona.id) &&
  [...(structure?.holders.values() ?? [])].some((holder) => holder.persona.id === persona.id)

function planSeat(planning: Planning, seat: ProjectedSeat): void {
  const { plan, current } = planning
  const { doc, row, title } = seat
  if (doc === null) return
  const { positionId } = doc
  if (row === null) {
    const foreign = positionId === undefined ? undefined : current.foreignSeats.get(positionId)
    const taken = `position_id ${positionId} belongs to organisation ${foreign}; use --force to give "${title}" a new id`
    const label = `position_id ${foreign === undefined ? (positionId ?? 'new') : 'new'}`
    if (foreign === undefined || !isConflict(planning, 'position', `position_id ${positionId}`, taken))
      noteCreated(plan, 'position', label, title)
    plan.seats.push(seat)
  } else {
    const fields = seatDifferences(planning, seat)
    const other = `the seat "${title}" has position_id ${row.id} here, not ${positionId}; use --force to match by title`
    const isOther = positionId !== undefined && positionId !== row.id
    if (!isOther || !isConflict(planning, 'position', `position_id ${positionId}`, other, fields))
      noteKept(plan, 'position', `position_id ${row.id}`, fields)
    if (fields.length > 0) plan.seats.push(seat)
  }
  planLimits(planning, seat)
  planSeating(planning, seat)
}

/** Compares lines by title, as the document states them; a superior that is only renamed is the same superior. */
function seatDifferences({ current: { structure } }: Planning, seat: ProjectedSeat): Fields {
  const { row, doc } = seat
  if (row === null || doc === null) return []
  const titleOf = (id: number | null): string | null => (id === null ? null : (structure?.byId.get(id)?.title ?? null))
  const fields: Fields = []
  const compare = (field: string, from: unknown, to: unknown, isSame = from === to): void => {
    if (!isSame) fields.push({ field, from: previewText(from), to: previewText(to) })
  }
  compare('title', row.title, seat.title)
  compare('role', structure?.roles.get(row.roleId)?.name, seat.role?.name, seat.role?.row?.id === row.roleId)
  compare('level', row.level, doc.level ?? row.level)
  for (const [field, id, line] of [
    ['reports_to', row.reportsToId, seat.reportsTo],
    ['escalates_to', row.escalatesToId, seat.escalatesTo],
  ] as const)
    compare(field, titleOf(id), line?.title ?? null, line === null ? id === null : line.row?.id === id)
  compare('is_cross_cutting', row.isCrossCutting, doc.isCrossCutting ?? row.isCrossCutting)
  return fields
}

function planLimits({ plan, current: { structure } }: Planning, seat: ProjectedSeat): void {
  const current = seat.row === null ? [] : (structure?.authorities.get(seat.row.id) ?? [])
  for (const limit of seat.doc?.authority ?? []) {
    const known = current.find((each) => each.kind === limit.kind)
    const to = limitText(limit)
    const from = known === undefined ? null : limitText(known)
    if (from === to) continue
    plan.limits.push({ seat, limit, isNew: known === undefined })
    note(plan, known === undefined ? 'create' : 'update', 'authority', `${seat.title} ${limit.kind}`, [
      { field: 'limit', from, to },
    ])
  }
}

const limitText = ({ limit, unit, onBreach }: Authority): string => `${limit} ${unit}, ${onBreach}`

function planSeating(planning: Planning, seat: ProjectedSeat): void {
  const { plan, current } = planning
  const { holder: persona, row, title } = seat
  if (persona === null) return
  const holder = row === null ? undefined : current.structure?.holders.get(row.id)
  if (holder !== undefined && holder.persona.id === persona.row?.id) return note(plan, 'unchanged', 'assignment', title)
  const [doc] = persona.docs
  const name = persona.row?.slug ?? doc?.personaSlug ?? doc?.personaName ?? ''
  const fields = [{ field: 'persona', from: holder?.persona.slug ?? null, to: name }]
  plan.seatings.push({ seat, persona, displaced: holder ?? null })
  if (holder === undefined) return note(plan, 'create', 'assignment', title, fields)
  const held = `seat "${title}" is held by ${holder.persona.slug}; use --force to seat ${name} instead`
  if (!isConflict(planning, 'assignment', title, held, fields)) note(plan, 'update', 'assignment', title, fields)
}
