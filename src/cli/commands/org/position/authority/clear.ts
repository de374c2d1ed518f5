import { command, required } from '../../../../declare.ts'
import { authorityKinds, json, positionId } from '../../../options.ts'

export const orgPositionAuthorityClearCommand = command({
  name: 'clear',
  summary: 'Remove one limit of a seat',
  examples: ['agency org position authority clear --position-id 5 --kind spend_per_day'],
  options: [positionId, required('--kind <kind>', 'Kind of limit', { choices: authorityKinds }), json],
})
