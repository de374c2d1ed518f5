import { command, required, value } from '../../../declare.ts'
import { json } from '../../options.ts'

export const orgRoleCreateCommand = command({
  name: 'create',
  summary: 'Create a role',
  examples: ['agency org role create --name qa --description "Quality and acceptance"'],
  options: [required('--name <name>', 'Name of the role'), value('--description <text>', 'Duties of the role'), json],
})
