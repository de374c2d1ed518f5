import { command, value } from '../../../declare.ts'
import { json, positionId, seatOptions } from '../../options.ts'

export const orgPositionUpdateCommand = command({
  name: 'update',
  summary: 'Change the given fields of a seat and keep the others',
  examples: ['agency org position update --position-id 5 --title "Backend Developer"'],
  options: [
    positionId,
    value('--title <title>', 'New title'),
    value('--role <role>', 'Name of its role'),
    ...seatOptions,
    json,
  ],
})
