import { printAnswer } from '../../cli/answers.ts'
import type { orgRoleCreateCommand } from '../../cli/commands/org/role/create.ts'
import type { orgRoleListCommand } from '../../cli/commands/org/role/list.ts'
import type { orgRoleUpdateCommand } from '../../cli/commands/org/role/update.ts'
import type { Handler } from '../../cli/declare.ts'
import { roleEndpoints } from './endpoints.ts'

export const createRole: Handler<typeof orgRoleCreateCommand> = (context, { name, description, json }) =>
  printAnswer(context, { json }, roleEndpoints.create, { name, description })

export const listRoles: Handler<typeof orgRoleListCommand> = (context, options) =>
  printAnswer(context, options, roleEndpoints.list)

export const updateRole: Handler<typeof orgRoleUpdateCommand> = (context, { name, description, json }) =>
  printAnswer(context, { json }, roleEndpoints.update, { name, description })
