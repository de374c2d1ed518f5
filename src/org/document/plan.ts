import { fold } from '../../kernel/text.ts'
import type { Intent } from '../organisations/contract.ts'
import type { Organisation, OrganisationSetting } from '../organisations/store.ts'
import type { Persona } from '../personas/store.ts'
import type { Position } from '../positions/store.ts'
import type { Role } from '../roles/store.ts'
import type { Structure } from '../structure.ts'
import type { PlannedChange } from './contract.ts'
import type { DocAssignment, DocPosition, DocRole, OrgDocument } from './model.ts'

/** The store as an import finds it. */
export interface Present {
  /** The organisation whose id the document names, if there is one. */
  structure: Structure | null
  settings: readonly OrganisationSetting[]
  intent: Intent | null
  roles: readonly Role[]
  personas: readonly Persona[]
  /** Which organisation a seat's id belongs to, over all of them. */
  seatOwners: ReadonlyMap<number, number>
  assignmentIds: ReadonlySet<number>
}

/** What an import will do, decided before anything is touched; preview and import are the same plan. */
export interface Plan {
  organisation: { row: Organisation | null; patch: Partial<Organisation> }
  roles: PlannedRole[]
  personas: PlannedPersona[]
  positions: PlannedPosition[]
  settings: { key: string; value: string }[]
  /** Null: leave intent.md as it is. */
  intent: Intent | null
  changes: PlannedChange[]
  conflicts: string[]
}

export interface PlannedRole {
  doc: DocRole
  /** The role that it is, or null where one is made. */
  row: Role | null
  patch: Partial<Role>
}

export interface PlannedPersona {
  doc: DocAssignment
  row: Persona | null
  patch: Partial<Persona>
}

export interface PlannedPosition {
  doc: DocPosition
  row: Position | null
  /** The holder that the document wants; null: nothing to do. */
  seat: PlannedPersona | null
  /** Somebody else sits there: closed first, with --force. */
  displaces: boolean
}

export interface PlanOptions {
  force: boolean
  withIntent: boolean
}

export function planImport(document: OrgDocument, present: Present, options: PlanOptions): Plan {
  const plan: Plan = {
    organisation: { row: present.structure?.organisation ?? null, patch: {} },
    roles: [],
    personas: [],
    positions: [],
    settings: [],
    intent: null,
    changes: [],
    conflicts: [],
  }
  planOrganisation(plan, document, present, options)
  for (const doc of document.roles) plan.roles.push(planRole(plan, doc, present, options))
  for (const doc of document.positions) plan.positions.push(planPosition(plan, doc, present, options))
  return plan
}

type Fields = PlannedChange['fields']

function note(plan: Plan, change: Omit<PlannedChange, 'note' | 'fields'> & { fields?: Fields; note?: string }): void {
  plan.changes.push({ ...change, fields: change.fields ?? [], note: change.note ?? null })
}

function conflict(plan: Plan, entity: PlannedChange['entity'], label: string, text: string, fields: Fields = []): void {
  plan.conflicts.push(text)
  note(plan, { action: 'conflict', entity, label, fields, note: text })
}

/** The fields in which the wanted values differ, as the preview shows them. */
function differences<Row extends object>(row: Row, wanted: Partial<Row>): { patch: Partial<Row>; fields: Fields } {
  const patch: Partial<Row> = {}
  const fields: Fields = []
  for (const name of Object.keys(wanted) as (keyof Row & string)[]) {
    const to = wanted[name]
    if (to === undefined || to === row[name]) continue
    patch[name] = to
    fields.push({ field: name, from: shown(row[name]), to: shown(to) })
  }
  return { patch, fields }
}

const shown = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))

function planOrganisation(
  plan: Plan,
  { organisation: doc }: OrgDocument,
  present: Present,
  options: PlanOptions,
): void {
  const row = plan.organisation.row
  const label = `organisation_id ${doc.organisationId ?? 'new'}`
  const wanted = { name: doc.name, purpose: doc.purpose, description: doc.description, status: doc.status }
  if (row === null) note(plan, { action: 'create', entity: 'organisation', label, note: doc.name ?? '' })
  else {
    const { patch, fields } = differences(row, wanted as Partial<Organisation>)
    plan.organisation.patch = patch
    note(plan, { action: fields.length === 0 ? 'unchanged' : 'update', entity: 'organisation', label, fields })
  }
  planLead(plan, doc.lead, present)
  for (const { key, value } of doc.settings ?? []) {
    const own = present.settings.find((each) => each.key === key)?.value ?? null
    if (own === value) continue
    plan.settings.push({ key, value })
    note(plan, {
      action: own === null ? 'create' : 'update',
      entity: 'setting',
      label: key,
      fields: [{ field: 'value', from: own, to: value }],
    })
  }
  planIntent(plan, doc.intent, present, options)
}

function planLead(plan: Plan, lead: string | null | undefined, { structure }: Present): void {
  if (lead === undefined) return
  const current = structure?.organisation.leadPositionId ?? null
  const title = current === null ? null : (structure?.byId.get(current)?.title ?? null)
  if (title === lead) return
  note(plan, {
    action: structure === null ? 'create' : 'update',
    entity: 'organisation',
    label: 'lead',
    fields: [{ field: 'lead', from: title, to: lead }],
  })
}

/** Intent is content: a new organisation gets it, an existing one only when asked to. */
function planIntent(plan: Plan, intent: Intent | null | undefined, present: Present, options: PlanOptions): void {
  if (intent === null || intent === undefined) return
  if (present.structure === null) {
    plan.intent = intent
    return note(plan, { action: 'create', entity: 'intent', label: 'intent' })
  }
  if (JSON.stringify(present.intent) === JSON.stringify(intent)) return
  if (options.withIntent) plan.intent = intent
  note(plan, {
    action: options.withIntent ? 'update' : 'unchanged',
    entity: 'intent',
    label: 'intent',
    note: options.withIntent ? '' : 'intent differs, not imported; use --with-intent to write it',
  })
}

/** Roles belong to everybody: renaming one by its number would change it under other organisations' feet. */
function planRole(plan: Plan, doc: DocRole, present: Present, options: PlanOptions): PlannedRole {
  const label = `role_id ${doc.roleId ?? 'new'}`
  const byId = doc.roleId === undefined ? undefined : present.roles.find((role) => role.id === doc.roleId)
  const byName = present.roles.find((role) => fold(role.name) === fold(doc.name))
  const row = byId !== undefined && fold(byId.name) === fold(doc.name) ? byId : (byName ?? null)
  if (byId !== undefined && byId !== row) {
    const renamed = [{ field: 'name', from: byId.name, to: doc.name }]
    if (!options.force) {
      conflict(
        plan,
        'role',
        label,
        `role_id ${byId.id} is "${byId.name}" here, the document calls it "${doc.name}"; use --force`,
        renamed,
      )
      return { doc, row: row ?? byId, patch: {} }
    }
    if (row === null) {
      note(plan, { action: 'update', entity: 'role', label, fields: renamed })
      return {
        doc,
        row: byId,
        patch: { name: doc.name, ...(doc.description === undefined ? {} : { description: doc.description }) },
      }
    }
  }
  if (row === null) {
    note(plan, { action: 'create', entity: 'role', label, note: doc.name })
    return { doc, row: null, patch: {} }
  }
  const { patch, fields } = differences(row, { description: doc.description } as Partial<Role>)
  note(plan, { action: fields.length === 0 ? 'unchanged' : 'update', entity: 'role', label, fields })
  return { doc, row, patch }
}

function planPosition(plan: Plan, doc: DocPosition, present: Present, options: PlanOptions): PlannedPosition {
  const label = `position_id ${doc.positionId ?? 'new'}`
  const { structure } = present
  const byId = doc.positionId === undefined ? undefined : structure?.byId.get(doc.positionId)
  const row = byId ?? (doc.positionId === undefined ? structure?.byTitle.get(doc.title) : undefined) ?? null
  if (row === null && doc.positionId !== undefined && present.seatOwners.has(doc.positionId)) {
    const text = `position_id ${doc.positionId} is a seat of organisation ${present.seatOwners.get(doc.positionId)}; use --force to give "${doc.title}" a new number`
    if (!options.force) conflict(plan, 'position', label, text)
    else note(plan, { action: 'create', entity: 'position', label: 'position_id new', note: doc.title })
  } else if (row === null) note(plan, { action: 'create', entity: 'position', label, note: doc.title })
  else {
    const fields = positionDifferences(row, doc, structure as Structure)
    note(plan, {
      action: fields.length === 0 ? 'unchanged' : 'update',
      entity: 'position',
      label: `position_id ${row.id}`,
      fields,
    })
  }
  planAuthority(plan, doc, row, structure)
  return { doc, row, ...planSeat(plan, doc, row, present, options) }
}

/** Shown by title, as the document says it. */
function positionDifferences(row: Position, doc: DocPosition, structure: Structure): Fields {
  const titleOf = (id: number | null): string | null => (id === null ? null : (structure.byId.get(id)?.title ?? null))
  const pairs: [string, unknown, unknown][] = [
    ['title', row.title, doc.title],
    ['role', structure.roles.get(row.roleId)?.name, doc.role],
    ['level', row.level, doc.level],
    ['reports_to', titleOf(row.reportsToId), doc.reportsTo],
    ['escalates_to', titleOf(row.escalatesToId), doc.escalatesTo],
    ['is_cross_cutting', row.isCrossCutting, doc.isCrossCutting],
  ]
  return pairs
    .filter(([, from, to]) => to !== undefined && to !== from)
    .map(([field, from, to]) => ({ field, from: shown(from), to: shown(to) }))
}

function planAuthority(plan: Plan, doc: DocPosition, row: Position | null, structure: Structure | null): void {
  const present = row === null ? [] : (structure?.authorities.get(row.id) ?? [])
  for (const limit of doc.authority ?? []) {
    const known = present.find((each) => each.kind === limit.kind)
    const to = `${limit.limit} ${limit.unit}, ${limit.onBreach}`
    const from = known === undefined ? null : `${known.limit} ${known.unit}, ${known.onBreach}`
    if (from === to) continue
    note(plan, {
      action: known === undefined ? 'create' : 'update',
      entity: 'authority',
      label: `${doc.title} ${limit.kind}`,
      fields: [{ field: 'limit', from, to }],
    })
  }
}

function planSeat(
  plan: Plan,
  doc: DocPosition,
  row: Position | null,
  present: Present,
  options: PlanOptions,
): { seat: PlannedPersona | null; displaces: boolean } {
  if (doc.assignment === null || doc.assignment === undefined) return { seat: null, displaces: false }
  const persona = planPersona(plan, doc.assignment, present, options)
  const holder = row === null ? undefined : present.structure?.holders.get(row.id)
  const label = doc.title
  const who = persona.row?.slug ?? doc.assignment.personaSlug ?? doc.assignment.personaName ?? ''
  if (holder !== undefined && holder.persona.id === persona.row?.id) {
    note(plan, { action: 'unchanged', entity: 'assignment', label })
    return { seat: null, displaces: false }
  }
  if (holder === undefined) {
    note(plan, { action: 'create', entity: 'assignment', label, fields: [{ field: 'persona', from: null, to: who }] })
    return { seat: persona, displaces: false }
  }
  const fields = [{ field: 'persona', from: holder.persona.slug, to: who }]
  if (!options.force)
    conflict(
      plan,
      'assignment',
      label,
      `seat "${doc.title}" is held by ${holder.persona.slug}; use --force to seat ${who} instead`,
      fields,
    )
  else note(plan, { action: 'update', entity: 'assignment', label, fields })
  return { seat: persona, displaces: true }
}

/** One persona may hold several seats of the document: planned once. */
function planPersona(plan: Plan, doc: DocAssignment, present: Present, options: PlanOptions): PlannedPersona {
  const known = plan.personas.find((each) => sameDocPersona(each.doc, doc))
  if (known !== undefined) return known
  const planned = decidePersona(plan, doc, present, options)
  plan.personas.push(planned)
  return planned
}

const sameDocPersona = (a: DocAssignment, b: DocAssignment): boolean =>
  a.personaId !== undefined || b.personaId !== undefined
    ? a.personaId === b.personaId
    : a.personaSlug !== undefined || b.personaSlug !== undefined
      ? a.personaSlug === b.personaSlug
      : a.personaName === b.personaName

function decidePersona(plan: Plan, doc: DocAssignment, present: Present, options: PlanOptions): PlannedPersona {
  const label = `persona_id ${doc.personaId ?? doc.personaSlug ?? doc.personaName}`
  const byId =
    doc.personaId === undefined ? undefined : present.personas.find((persona) => persona.id === doc.personaId)
  const bySlug =
    doc.personaSlug === undefined ? undefined : present.personas.find((persona) => persona.slug === doc.personaSlug)
  const named =
    doc.personaName === undefined
      ? []
      : present.personas.filter((persona) => fold(persona.name) === fold(doc.personaName as string))
  const byName =
    doc.personaId === undefined && doc.personaSlug === undefined && named.length === 1 ? named[0] : undefined
  const isOther = byId !== undefined && doc.personaSlug !== undefined && byId.slug !== doc.personaSlug
  if (isOther && !options.force) {
    conflict(
      plan,
      'persona',
      label,
      `persona_id ${byId.id} is ${byId.slug} here, the document means ${doc.personaSlug}; use --force to go by the slug`,
    )
    return { doc, row: byId, patch: {} }
  }
  const row = (isOther ? bySlug : (byId ?? bySlug ?? byName)) ?? null
  if (row === null) {
    note(plan, { action: 'create', entity: 'persona', label, note: doc.personaName ?? doc.personaSlug ?? '' })
    return { doc, row: null, patch: {} }
  }
  const { patch, fields } = differences(row, { name: doc.personaName, status: doc.personaStatus } as Partial<Persona>)
  if (patch.name !== undefined && !options.force) {
    conflict(
      plan,
      'persona',
      label,
      `persona ${row.slug} is called "${row.name}" here, the document calls it "${patch.name}"; use --force to rename it`,
      fields,
    )
    return { doc, row, patch: {} }
  }
  note(plan, {
    action: fields.length === 0 ? 'unchanged' : 'update',
    entity: 'persona',
    label: `persona_id ${row.id}`,
    fields,
  })
  return { doc, row, patch }
}
