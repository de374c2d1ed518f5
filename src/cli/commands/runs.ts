import { command, value } from '../declare.ts'
import { json, limit, onlyOrg } from './options.ts'

export const runsCommand = command({
  name: 'runs',
  summary: 'List runs, newest first',
  examples: ['agency runs --status running'],
  options: [
    value('--status <status>', 'Only runs with this status', {
      choices: ['planning', 'running', 'gated', 'paused', 'accepting', 'done', 'failed', 'cancelled'],
    }),
    limit(),
    onlyOrg,
    json,
  ],
})
