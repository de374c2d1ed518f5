import { command } from '../../declare.ts'
import { json } from '../options.ts'

export const sessionsListCommand = command({
  name: 'list',
  summary: 'List the browsers that are signed in, last used first',
  examples: ['agency sessions list --json'],
  options: [json],
})
