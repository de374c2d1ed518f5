import { command, value } from '../declare.ts'
import { json, limit, onlyOrg } from './options.ts'

export const gatesCommand = command({
  name: 'gates',
  summary: 'List pending gates of all runs',
  examples: ['agency gates'],
  options: [
    value('--status <status>', 'Gates with this status instead of pending ones', {
      choices: ['pending', 'approved', 'rejected', 'expired'],
    }),
    limit(500),
    onlyOrg,
    json,
  ],
})
