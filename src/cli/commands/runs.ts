import { command, value } from '../declare.ts'
import { json, limit, onlyOrg } from './options.ts'

export const runsCommand = command({
  name: 'runs',
  summary: 'List runs, open ones first, then the newest',
  examples: ['agency runs --status waits_for_you'],
  options: [
    value('--status <status>', 'Only runs in this state', {
      choices: [
        'waits_for_you',
        'planning',
        'running',
        'accepting',
        'waits',
        'paused',
        'stopped',
        'done',
        'failed',
        'cancelled',
      ],
    }),
    limit(),
    onlyOrg,
    json,
  ],
})
