import { command, value } from '../../declare.ts'
import { json, org } from '../options.ts'
import { leadSeat } from '../values.ts'

export const orgUpdateCommand = command({
  name: 'update',
  summary: 'Change the name, description, status or lead seat of an organisation',
  examples: ['agency org update --org development --status dormant'],
  options: [
    org,
    value('--name <name>', 'New name, which also changes the slug and the directory'),
    value('--description <text>', 'Description in a sentence or two'),
    value('--status <status>', 'New status', { choices: ['active', 'dormant', 'archived'] }),
    value('--lead-position <id>', 'Seat that speaks for the organisation; "none": no seat', { parse: leadSeat }),
    json,
  ],
})
