import type { Tx } from '../../db/port.ts'
import { type Change, deleted, inserted, updated } from '../../events/change.ts'
import type { Actor } from '../../kernel/actor.ts'
import { type Governed, recordOrgChange } from '../changes.ts'
import type { Files } from '../files.ts'
import { organisationPath } from '../paths.ts'
import { organisationSlug } from '../slugs.ts'
import type { Content } from '../stage.ts'
import { intentText } from '../templates.ts'
import { organisationSettings as defaults, type OrganisationView } from './contract.ts'
import { type Organisation, organisations, organisationSettings } from './store.ts'

export const organisationView = ({ id, ...rest }: Organisation): OrganisationView => ({ organisationId: id, ...rest })

/**
 * Inserts the row with its event. The caller has taken the id already, so that the slug is known from the start. Locks
 * the new stream.
 */
export async function insertOrganisation(
  tx: Tx,
  by: Actor,
  governed: Governed,
  { id, name, purpose, description, status }: Pick<Organisation, 'id' | 'name' | 'purpose' | 'description' | 'status'>,
): Promise<Organisation> {
  await tx.lock(`org:${id}`)
  const organisation: Organisation = {
    id,
    name,
    purpose,
    slug: organisationSlug(purpose, name, id),
    description,
    status,
    leadPositionId: null,
    createdAt: tx.at,
    updatedAt: tx.at,
  }
  await recordOrgChange(
    tx,
    by,
    governed,
    {
      noun: 'organisation',
      action: 'create',
      message: `Organisation ${name} created`,
      data: { organisation_id: id, slug: organisation.slug },
    },
    [inserted(organisations, organisation)],
  )
  return organisation
}

/** Updates the fields that differ; a new name brings a new slug, and only the event keeps the old one. */
export async function changeOrganisation(
  tx: Tx,
  by: Actor,
  governed: Governed,
  organisation: Organisation,
  wanted: Partial<Pick<Organisation, 'name' | 'purpose' | 'description' | 'status' | 'leadPositionId'>>,
): Promise<Organisation> {
  const patch: Partial<Organisation> = Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => value !== undefined && value !== organisation[name as keyof typeof wanted],
    ),
  )
  const fields = Object.keys(patch)
  if (fields.length === 0) return organisation
  const { name, purpose } = { ...organisation, ...patch }
  // A slug stays until the organisation is renamed.
  const isRenamed = patch.name !== undefined || patch.purpose !== undefined
  const slug = isRenamed ? organisationSlug(purpose, name, organisation.id) : organisation.slug
  const changed: Organisation = { ...organisation, ...patch, slug, updatedAt: tx.at }
  await recordOrgChange(
    tx,
    by,
    governed,
    {
      noun: 'organisation',
      action: 'update',
      message: `Organisation ${organisation.name} changed: ${fields.join(', ')}`,
      data: {
        organisation_id: organisation.id,
        fields,
        ...(slug === organisation.slug ? {} : { slug, former_slug: organisation.slug }),
      },
    },
    [updated(organisations, organisation, { ...patch, slug, updatedAt: tx.at })],
  )
  return changed
}

/** A value equal to the default needs no row: a later default then applies to it too. */
export function settingChange(
  own: { organisationId: number; key: string; value: string } | undefined,
  row: { organisationId: number; key: keyof typeof defaults; value: string },
): Change[] {
  if (own === undefined) return row.value === defaults[row.key] ? [] : [inserted(organisationSettings, row)]
  if (row.value === defaults[row.key]) return [deleted(organisationSettings, own)]
  return own.value === row.value ? [] : [updated(organisationSettings, own, { value: row.value })]
}

/** Returns everything in the organisation's directory, or a new intent.md where it has been deleted. */
export function copyOf(files: Files, { slug, name }: Organisation): Content {
  const names = files.list(organisationPath(slug))
  if (names.length === 0) return { 'o/intent.md': intentText(name) }
  return Object.fromEntries(names.map((each) => [`o/${each}`, { copyOf: organisationPath(slug, each) }]))
}
