import { command, flag } from '../../declare.ts'
import { json, personaSlug, positionId } from '../options.ts'

export const orgAssignCommand = command({
  name: 'assign',
  summary: 'Assign a persona to a seat',
  examples: ['agency org assign --position-id 5 --persona-slug developer-con-5'],
  options: [positionId, personaSlug, flag('--reassign', 'Replace the current holder'), json],
})
