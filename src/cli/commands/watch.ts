import { argument, command, flag, value } from '../declare.ts'
import { reference, whole } from './values.ts'

export const watchCommand = command({
  name: 'watch',
  summary: 'Follow a run until it ends',
  examples: ['agency watch', 'agency watch run_7k2'],
  arguments: [argument('[run]', 'Run id, or its beginning; default: the newest run', { parse: reference })],
  options: [
    value('--level <level>', 'Level of detail; default: the one of its team', { choices: ['normal', 'verbose'] }),
    value('--from <seq>', 'Start at this event', { parse: whole(1) }),
    flag('--json', 'Print one event per line as JSON'),
  ],
})
