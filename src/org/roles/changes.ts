import type { ReadTx, Tx } from '../../db/port.ts'
import { inserted } from '../../events/change.ts'
import type { Actor } from '../../kernel/actor.ts'
import { notFound } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { type Governed, recordOrgChange } from '../changes.ts'
import { findRoleByName, listRoles, nextRoleId, type Role, roles } from './store.ts'

/** Requires the lock on the `system` stream. An id is given where a document states it. */
export async function insertRole(
  tx: Tx,
  by: Actor,
  governed: Governed,
  { id, name, description }: { id?: number; name: string; description: string },
): Promise<Role> {
  const role: Role = { id: id ?? (await nextRoleId(tx)), name, description }
  await recordOrgChange(
    tx,
    by,
    governed,
    { noun: 'role', action: 'create', message: `Role ${name} created`, data: { role_id: role.id } },
    [inserted(roles, role)],
  )
  return role
}

export const findOrCreateRole = async (tx: Tx, by: Actor, governed: Governed, name: string): Promise<Role> =>
  (await findRoleByName(tx, name)) ?? insertRole(tx, by, governed, { name, description: '' })

export async function requireRole(tx: ReadTx, name: string): Promise<Role> {
  const role = await findRoleByName(tx, name)
  if (role !== undefined) return role
  const guess = nearest(
    name,
    (await listRoles(tx)).map((each) => each.name),
  )
  throw notFound('role', name, guess === null ? 'List them with "agency org role list".' : `Did you mean "${guess}"?`)
}
