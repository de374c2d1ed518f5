import { command } from '../../declare.ts'
import { json, limit } from '../options.ts'

export const jobsListCommand = command({
  name: 'list',
  summary: 'List jobs that failed: those that were given up first, then those that will be tried again',
  examples: ['agency jobs list --json'],
  options: [limit(500), json],
})
