import { command, flag, value } from '../declare.ts'
import { limit } from './options.ts'
import { whole } from './values.ts'

export const eventsCommand = command({
  name: 'events',
  summary: 'List the newest events of the installation',
  examples: ['agency events --follow'],
  options: [
    flag('--follow', 'Print new events as they happen'),
    value('--kind <kinds>', 'Only these kinds, comma-separated'),
    value('--level <level>', 'Level of detail', { choices: ['normal', 'verbose'], default: 'normal' }),
    value('--after <position>', 'Start after this position', { parse: whole(0) }),
    limit(),
    flag('--json', 'Print one event per line as JSON'),
  ],
})
