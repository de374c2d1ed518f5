import type { ReadTx, Tx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { nextCounter } from '../../db/tx.ts'

export interface Role {
  id: number
  name: string
  description: string
}

export const roles = table<Role>('roles', { stream: () => 'system' })

export const nextRoleId = (tx: Tx): Promise<number> => nextCounter(tx, 'roles')

export const findRole = (tx: ReadTx, id: number): Promise<Role | undefined> => findRow(tx, roles, id)

export async function findRoleByName(tx: ReadTx, name: string): Promise<Role | undefined> {
  const [found] = await findRows(tx, roles, 'name = ?', [name])
  return found
}

export const listRoles = (tx: ReadTx): Promise<Role[]> => findRows(tx, roles, '1 = 1 ORDER BY id')
