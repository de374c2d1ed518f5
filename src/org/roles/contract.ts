import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { structureChange } from '../changes.contract.ts'
import { RoleName, Warnings } from '../references.contract.ts'
import { roleEndpoints } from './endpoints.ts'

export const RoleView = z.object({ roleId: z.number().int(), name: z.string(), description: z.string() })
export type RoleView = z.infer<typeof RoleView>

const ChangedRole = RoleView.extend({ warnings: Warnings })

export const roleOperations = {
  create: structureChange({
    name: 'role.create',
    summary: 'Add a role; roles are shared by all organisations',
    ...roleEndpoints.create,
    input: z.strictObject({ name: RoleName, description: z.string().max(2_000).default('') }),
    output: ChangedRole,
  }),
  list: operation({
    name: 'role.list',
    summary: 'All roles',
    ...roleEndpoints.list,
    input: z.strictObject({}),
    output: z.object({ roles: z.array(RoleView) }),
    allow: ['operator', 'agent'],
  }),
  update: structureChange({
    name: 'role.update',
    summary: 'Change a role’s description',
    ...roleEndpoints.update,
    input: z.strictObject({ name: RoleName, description: z.string().max(2_000) }),
    output: ChangedRole,
  }),
}
