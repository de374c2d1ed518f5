import { command } from '../../../declare.ts'
import { json } from '../../options.ts'

export const orgRoleListCommand = command({
  name: 'list',
  summary: 'List roles',
  examples: ['agency org role list'],
  options: [json],
})
