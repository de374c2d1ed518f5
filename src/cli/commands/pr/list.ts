import { command, value } from '../../declare.ts'
import { json, limit, onlyOrg } from '../options.ts'

export const prListCommand = command({
  name: 'list',
  summary: 'List pull requests, newest first',
  examples: ['agency pr list --status open'],
  options: [
    value('--status <status>', 'Only pull requests with this status', { choices: ['open', 'merged', 'closed'] }),
    limit(500),
    onlyOrg,
    json,
  ],
})
