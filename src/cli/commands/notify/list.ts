import { command, value } from '../../declare.ts'
import { json, limit } from '../options.ts'

export const notifyListCommand = command({
  name: 'list',
  summary: 'List notifications and their deliveries, newest first',
  examples: ['agency notify list --status failed'],
  options: [
    value('--status <status>', 'Only notifications with this status', {
      choices: ['waiting', 'sent', 'failed', 'not_sent'],
    }),
    limit(),
    json,
  ],
})
