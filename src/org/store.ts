import type { ReadTx } from '../db/port.ts'
import { findRow, table } from '../db/table.ts'
import type { OrganisationId } from '../kernel/ids.ts'
import type { Organisation, Persona, Role } from './contract.ts'

export const organisations = table<Organisation>('organisations', { stream: (row) => `org:${row.id}` })
export const roles = table<Role>('roles', { stream: () => 'system' })
export const personas = table<Persona>('personas', { booleans: ['canCreateChannel'], stream: () => 'system' })

export const findOrganisation = (tx: ReadTx, id: OrganisationId | number): Promise<Organisation | undefined> =>
  findRow(tx, organisations, id)
