import { command } from '../../declare.ts'
import { json } from '../options.ts'

export const repoListCommand = command({
  name: 'list',
  summary: 'List the repositories whose work is checked in their own way',
  examples: ['agency repo list'],
  options: [json],
})
