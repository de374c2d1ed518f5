import { command, flag } from '../../declare.ts'
import { json } from '../options.ts'

export const orgListCommand = command({
  name: 'list',
  summary: 'List organisations',
  examples: ['agency org list --all'],
  options: [flag('--all', 'Include archived organisations'), json],
})
