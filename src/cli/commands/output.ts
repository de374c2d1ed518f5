import { argument, command, flag } from '../declare.ts'
import { reference } from './values.ts'

export const outputCommand = command({
  name: 'output',
  summary: 'Print the output of an agent',
  examples: ['agency output --follow', 'agency output run_7k2'],
  arguments: [
    argument('[attempt|run]', 'Attempt id, or a run id for its running or last attempt; default: the newest run', {
      parse: reference,
    }),
  ],
  options: [
    flag('--follow', 'Continue until the attempt has ended'),
    flag('--json', 'Print one part per line as JSON, with the byte to continue at'),
  ],
})
