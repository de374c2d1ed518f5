import { answer, type Form, url } from '../../cli/answers.ts'
import type { CliContext } from '../../cli/context.ts'

export interface RoleOptions extends Form {
  name: string
  description?: string
}

export const createRole = (context: CliContext, { name, description, json }: RoleOptions) =>
  answer(context, { json }, 'POST', '/roles', { name, description })

export const listRoles = (context: CliContext, options: Form) => answer(context, options, 'GET', '/roles')

export const updateRole = (context: CliContext, { name, description, json }: RoleOptions) =>
  answer(context, { json }, 'PATCH', url`/roles/${name}`, { description })
