import { command, value } from '../../declare.ts'
import { json, onlyOrg } from '../options.ts'

export const budgetListCommand = command({
  name: 'list',
  summary: 'List budgets with their spent and reserved amounts',
  examples: ['agency budget list --scope organisation'],
  options: [
    value('--scope <scope>', 'Only budgets of this scope', {
      choices: ['brief', 'run', 'mission', 'persona', 'organisation'],
    }),
    onlyOrg,
    json,
  ],
})
