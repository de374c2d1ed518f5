import { column, countRows, json } from '../../db/columns.ts'
import type { ReadTx, Tx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { nextCounter, raiseCounter, sqlOf } from '../../db/tx.ts'

export interface Organisation {
  id: number
  name: string
  purpose: string
  slug: string
  description: string
  status: 'active' | 'dormant' | 'archived'
  leadPositionId: number | null
  createdAt: string
  updatedAt: string
}

export interface OrganisationSetting {
  organisationId: number
  key: string
  value: string
}

export const organisations = table<Organisation>('organisations', { stream: (row) => `org:${row.id}` })

export const organisationSettings = table<OrganisationSetting>('organisation_settings', {
  key: ['organisationId', 'key'],
  stream: (row) => `org:${row.organisationId}`,
})

export const nextOrganisationId = (tx: Tx): Promise<number> => nextCounter(tx, 'organisations')

export const raiseOrganisationIds = (tx: Tx, atLeast: number): Promise<void> =>
  raiseCounter(tx, 'organisations', atLeast)

export const findOrganisation = (tx: ReadTx, id: number): Promise<Organisation | undefined> =>
  findRow(tx, organisations, id)

export const listOrganisations = (tx: ReadTx): Promise<Organisation[]> =>
  findRows(tx, organisations, '1 = 1 ORDER BY id')

export async function findOrganisationBySlug(tx: ReadTx, slug: string): Promise<Organisation | undefined> {
  const [found] = await findRows(tx, organisations, 'slug = ?', [slug])
  return found
}

export const listSettings = (tx: ReadTx, organisationId: number): Promise<OrganisationSetting[]> =>
  findRows(tx, organisationSettings, 'organisation_id = ? ORDER BY key', [organisationId])

/** Counts the changes of the organisation's structure; its creation counts as one. */
export const countOrgChanges = (tx: ReadTx, id: number): Promise<number> =>
  countRows(sqlOf(tx), "SELECT COUNT(*) AS count FROM events WHERE stream = ? AND kind = 'org_changed'", [`org:${id}`])

/** Returns the slugs that the organisation had before it was renamed: only its events record them. */
export async function listFormerSlugs(tx: ReadTx, id: number): Promise<string[]> {
  const rows = await column('data', json<{ former_slug?: unknown }>()).all(
    sqlOf(tx),
    "SELECT data FROM events WHERE stream = ? AND kind = 'org_changed' AND data LIKE '%\"former_slug\":%' ORDER BY seq",
    [`org:${id}`],
  )
  return rows.flatMap(({ former_slug: former }) => (typeof former === 'string' ? [former] : []))
}

/** Counts the live agents on the organisation's seats and in its runs. */
export const countLiveAgentsOf = (tx: ReadTx, id: number): Promise<number> =>
  countRows(
    sqlOf(tx),
    `SELECT COUNT(*) AS count FROM agents WHERE state <> 'ended' AND (position_id IN (SELECT id FROM positions
WHERE organisation_id = ?) OR run_id IN (SELECT id FROM runs WHERE organisation_id = ?))`,
    [id, id],
  )
