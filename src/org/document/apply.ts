import type { Tx } from '../../db/port.ts'
import { updated } from '../../events/change.ts'
import type { Actor } from '../../kernel/actor.ts'
import { bug } from '../../kernel/errors.ts'
import { type Governed, noteOrgChange, recordOrgChange } from '../changes.ts'
import { changeOrganisation, insertOrganisation, settingChange } from '../organisations/changes.ts'
import { nextOrganisationId, type Organisation, raiseOrganisationIds } from '../organisations/store.ts'
import { insertPersona } from '../personas/changes.ts'
import { nextPersonaId, type Persona, personas, raisePersonaIds } from '../personas/store.ts'
import { insertRole } from '../roles/changes.ts'
import { nextRoleId, raiseRoleIds, type Role, roles } from '../roles/store.ts'
import type { ProjectedPersona, CurrentState, ProjectedRole } from './projection.ts'
import { applySeatings, applySeats } from './apply-seats.ts'
import type { ImportContext, PersonaIds, RoleIds } from './import-context.ts'
import { type OrgDocument, personaTypes } from './model.ts'
import type { Plan } from './plan.ts'

export interface Applied {
  organisation: Organisation
  /** The personas that were created. */
  personas: ReadonlyMap<ProjectedPersona, Persona>
}

/** Applies the whole plan inside one transaction; rows that others refer to come first. */
export async function applyPlan(
  tx: Tx,
  by: Actor,
  governed: Governed,
  document: OrgDocument,
  current: CurrentState,
  plan: Plan,
): Promise<Applied> {
  const context: ImportContext = { tx, by, governed: { ...governed, level: 'verbose' }, current, plan }
  const before = await applyOrganisation(context, document)
  const roleIds = await applyRoles(context)
  const { personaIds, made } = await applyPersonas(context, roleIds)
  const seats = await applySeats(context, before.id, roleIds)
  await applySeatings(context, seats, personaIds)
  await applySettings(context, before.id)
  let organisation = before
  if (plan.lead !== undefined) {
    const leadPositionId = plan.lead === null ? null : (seats.get(plan.lead)?.id ?? null)
    organisation = await changeOrganisation(tx, by, context.governed, before, { leadPositionId })
  }
  const changes = plan.changes.filter(({ action }) => action !== 'unchanged').length
  const message = `Document imported into ${organisation.name}: ${changes} ${changes === 1 ? 'change' : 'changes'}`
  const data = { organisation_id: organisation.id, changes }
  await noteOrgChange(tx, `org:${organisation.id}`, by, governed, {
    noun: 'organisation',
    action: 'import',
    message,
    data,
  })
  return { organisation, personas: made }
}

async function applyOrganisation(
  { tx, by, governed, plan }: ImportContext,
  { organisation: doc }: OrgDocument,
): Promise<Organisation> {
  const { row, patch } = plan.organisation
  if (row !== null) return changeOrganisation(tx, by, governed, row, patch)
  if (doc.name === undefined || doc.purpose === undefined) throw bug('a new organisation without name or purpose')
  if (doc.organisationId !== undefined) await raiseOrganisationIds(tx, doc.organisationId)
  return insertOrganisation(tx, by, governed, {
    id: doc.organisationId ?? (await nextOrganisationId(tx)),
    name: doc.name,
    purpose: doc.purpose,
    description: doc.description ?? '',
    status: doc.status ?? 'active',
  })
}

async function applyRoles({ tx, by, governed, plan }: ImportContext): Promise<RoleIds> {
  const ids = new Map<ProjectedRole, number>()
  const kept = plan.roles.flatMap(({ role }) => (role.row === null ? (role.doc?.roleId ?? []) : []))
  if (kept.length > 0) await raiseRoleIds(tx, Math.max(...kept))
  for (const { role, patch } of plan.roles) {
    const { row, doc, name } = role
    if (row === null) {
      const id = doc?.roleId ?? (await nextRoleId(tx))
      await insertRole(tx, by, governed, { id, name, description: doc?.description ?? '' })
      ids.set(role, id)
      continue
    }
    const fields = Object.keys(patch)
    const message = `Role ${row.name} changed: ${fields.join(', ')}`
    await recordOrgChange(
      tx,
      by,
      governed,
      { noun: 'role', action: 'update', message, data: { role_id: row.id, fields } },
      [updated(roles, row, patch)],
    )
  }
  return (role) => {
    const id = role === null ? undefined : (role.row?.id ?? ids.get(role))
    if (id === undefined) throw bug('a seat or persona without a role passed validation')
    return id
  }
}

async function applyPersonas(
  context: ImportContext,
  roleIds: RoleIds,
): Promise<{ personaIds: PersonaIds; made: ReadonlyMap<ProjectedPersona, Persona> }> {
  const { tx, by, governed, plan } = context
  const made = new Map<ProjectedPersona, Persona>()
  const kept = plan.personas.flatMap(({ persona }) => (persona.row === null ? (keptId(persona) ?? []) : []))
  if (kept.length > 0) await raisePersonaIds(tx, Math.max(...kept))
  for (const { persona, patch } of plan.personas) {
    const { row } = persona
    if (row === null) made.set(persona, await makePersona(context, persona, roleIds))
    else {
      const wanted: Partial<Persona> = { ...patch, roleId: roleIds(persona.role) }
      const fields = (Object.keys(wanted) as (keyof Persona)[]).filter((field) => wanted[field] !== row[field])
      const message = `Persona ${row.name} changed: ${fields.join(', ')}`
      const data = { persona_id: row.id, slug: row.slug, fields }
      await recordOrgChange(tx, by, governed, { noun: 'persona', action: 'update', message, data }, [
        updated(personas, row, { ...wanted, updatedAt: tx.at }),
      ])
    }
  }
  const personaIds: PersonaIds = (persona) => {
    const id = persona.row?.id ?? made.get(persona)?.id
    if (id === undefined) throw bug('a seat for a persona that does not exist passed validation')
    return id
  }
  return { personaIds, made }
}

/** Returns the document's id, unless another persona has it. */
const keptId = ({ docs, other }: ProjectedPersona): number | undefined =>
  other === null ? docs.find((doc) => doc.personaId !== undefined)?.personaId : undefined

/**
 * A slug ends in its persona's id, so that no two can ever be equal; a slug in the document that does not is replaced.
 */
async function makePersona(
  { tx, by, governed }: ImportContext,
  persona: ProjectedPersona,
  roleIds: RoleIds,
): Promise<Persona> {
  const { docs, role } = persona
  const stated = <Key extends 'personaName' | 'personaSlug' | 'personaType'>(key: Key) =>
    docs.find((doc) => doc[key] !== undefined)?.[key]
  const id = keptId(persona) ?? (await nextPersonaId(tx))
  const slug = stated('personaSlug')
  const name = stated('personaName')
  if (name === undefined || role === null) throw bug('a new persona without name or role')
  return insertPersona(tx, by, governed, {
    role: { id: roleIds(role), name: role.name, description: '' } satisfies Role,
    id,
    ...(slug?.endsWith(`-${id}`) === true ? { slug } : {}),
    name,
    personaTypeId: personaTypes.indexOf(stated('personaType') ?? 'agent/internal') + 1,
    canCreateChannel: false,
    origin: 'import',
    status: 'active',
  })
}

async function applySettings(
  { tx, by, governed, current, plan }: ImportContext,
  organisationId: number,
): Promise<void> {
  for (const { key, value } of plan.settings) {
    const own = current.settings.get(key)
    const changes = settingChange(own === undefined ? undefined : { organisationId, key, value: own }, {
      organisationId,
      key,
      value,
    })
    if (changes.length === 0) continue
    const data = { organisation_id: organisationId, key, value }
    await recordOrgChange(
      tx,
      by,
      governed,
      { noun: 'setting', action: 'set', message: `${key}: ${value}`, data },
      changes,
    )
  }
}
