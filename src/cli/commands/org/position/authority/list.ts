import { command } from '../../../../declare.ts'
import { json, positionId } from '../../../options.ts'

export const orgPositionAuthorityListCommand = command({
  name: 'list',
  summary: 'List the limits of a seat',
  examples: ['agency org position authority list --position-id 5'],
  options: [positionId, json],
})
