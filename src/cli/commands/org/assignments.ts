import { command, flag, value } from '../../declare.ts'
import { json, org } from '../options.ts'
import { reference } from '../values.ts'

export const orgAssignmentsCommand = command({
  name: 'assignments',
  summary: 'List current and past holders of seats',
  examples: ['agency org assignments --org development --include-history'],
  options: [
    org,
    flag('--include-history', 'Include past holders'),
    value('--persona-slug <slug>', 'Only this persona', { parse: reference }),
    json,
  ],
})
