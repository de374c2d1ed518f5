import type { ReadTx, Tx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { nextCounter, raiseCounter } from '../../db/tx.ts'
import { fold } from '../../kernel/text.ts'

export interface Role {
  id: number
  name: string
  description: string
}

export const roles = table<Role>('roles', { stream: () => 'system' })

export const nextRoleId = (tx: Tx): Promise<number> => nextCounter(tx, 'roles')

export const raiseRoleIds = (tx: Tx, atLeast: number): Promise<void> => raiseCounter(tx, 'roles', atLeast)

export const findRole = (tx: ReadTx, id: number): Promise<Role | undefined> => findRow(tx, roles, id)

/** Ignores case. The databases disagree about case beyond ASCII, so the comparison is not left to them. */
export async function findRoleByName(tx: ReadTx, name: string): Promise<Role | undefined> {
  const wanted = fold(name)
  return (await listRoles(tx)).find((role) => fold(role.name) === wanted)
}

export const listRoles = (tx: ReadTx): Promise<Role[]> => findRows(tx, roles, '1 = 1 ORDER BY id')
