import { command, value } from '../../declare.ts'
import { json } from '../options.ts'

export const talentListCommand = command({
  name: 'list',
  summary: 'List the personalities of the talent pool',
  examples: ['agency talent list --tier t4', 'agency talent list --division testing'],
  options: [
    value('--tier <tier>', 'Only personalities for this tier', { choices: ['t1', 't2', 't3', 't4', 't5'] }),
    value('--division <division>', 'Only personalities of this division'),
    json,
  ],
})
