import { command, value } from '../../declare.ts'
import { json, limit, mission, onlyOrg } from '../options.ts'
import { reference } from '../values.ts'

export const memoryMissionCommand = command({
  name: 'mission',
  summary: 'List the answered questions and settled notes of a mission, newest first',
  examples: ['agency memory mission mis_3f'],
  arguments: [mission],
  options: [
    value('--type <type>', 'Only memories of this type', { choices: ['question', 'note'] }),
    value('--before <id>', 'For the next page: the id of the last entry', { parse: reference }),
    limit(500),
    onlyOrg,
    json,
  ],
})
