import { command, value } from '../../../declare.ts'
import { json } from '../../options.ts'
import { reference, whole } from '../../values.ts'

export const orgPositionShowCommand = command({
  name: 'show',
  summary: 'Show one seat: holder, lines, direct reports',
  examples: [
    'agency org position show --org development --title "Project Manager"',
    'agency org position show --position-id 3',
  ],
  options: [
    value('--org <org>', 'With --title: organisation of the seat', { parse: reference }),
    value('--title <title>', 'Title of the seat'),
    value('--position-id <id>', 'Number of the seat, instead of --org and --title', { parse: whole(1) }),
    json,
  ],
})
