import { command, required } from '../../../declare.ts'
import { json } from '../../options.ts'
import { reference } from '../../values.ts'

export const orgRoleUpdateCommand = command({
  name: 'update',
  summary: 'Change the description of a role',
  examples: ['agency org role update --name qa --description "Finds faults"'],
  options: [
    required('--name <name>', 'Name of the role', { parse: reference }),
    required('--description <text>', 'Duties of the role'),
    json,
  ],
})
