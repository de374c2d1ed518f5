import type { ReadTx, Tx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { nextCounter } from '../../db/tx.ts'

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
