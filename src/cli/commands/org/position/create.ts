import { command, required } from '../../../declare.ts'
import { json, org, seatOptions } from '../../options.ts'

export const orgPositionCreateCommand = command({
  name: 'create',
  summary: 'Create a seat; seats refer to each other by title',
  examples: [
    'agency org position create --org development --title "QA Lead" --role qa --level 3 --reports-to "Project Manager"',
  ],
  options: [
    org,
    required('--title <title>', 'Title, unique in the organisation'),
    required('--role <role>', 'Name of its role'),
    ...seatOptions,
    json,
  ],
})
