import { argument, command, flag, value } from '../declare.ts'
import { reference } from './values.ts'

export const retryCommand = command({
  name: 'retry',
  summary: 'Start a run that keeps the accepted work of an ended run and does the rest again; prints its id',
  examples: ['agency retry run_7k2', 'agency retry run_7k2 --from login --reason "Use the existing form"'],
  arguments: [argument('<run>', 'Run id, or its beginning', { parse: reference })],
  options: [
    value('--from <brief>', 'Do this brief and everything that depends on it again, too; its key or id'),
    value('--reason <text>', 'Advice that its agents are given'),
    flag('--anyway', 'Although another run that continues it is open'),
    flag('--watch', 'Follow the run on stderr; exit 0 when done, 1 when failed'),
    flag('--json', 'Print the whole run as JSON'),
  ],
})
