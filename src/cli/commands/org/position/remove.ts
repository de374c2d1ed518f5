import { command, flag } from '../../../declare.ts'
import { json, positionId, preview } from '../../options.ts'

export const orgPositionRemoveCommand = command({
  name: 'remove',
  summary: 'Remove a seat',
  examples: [
    'agency org position remove --position-id 3 --preview',
    'agency org position remove --position-id 3 --reparent --unassign',
  ],
  options: [
    positionId,
    preview,
    flag('--reparent', 'Move its direct reports to the seat above it'),
    flag('--unassign', 'Unassign its holder first'),
    flag('--force', 'Remove it even if it is the lead seat'),
    json,
  ],
})
