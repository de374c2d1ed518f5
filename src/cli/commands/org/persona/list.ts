import { command, flag, value } from '../../../declare.ts'
import { json } from '../../options.ts'

export const orgPersonaListCommand = command({
  name: 'list',
  summary: 'List personas with role, slug, status, live agents',
  examples: ['agency org persona list --active --role qa'],
  options: [
    flag('--active', 'Leave out archived personas'),
    value('--role <role>', 'Only personas of this role'),
    flag('--all', 'Include personas of the system and of the talent pool'),
    json,
  ],
})
