import { command, flag, value } from '../declare.ts'
import { json, onlyOrg } from './options.ts'
import { reference } from './values.ts'

export const costsCommand = command({
  name: 'costs',
  summary: 'Show the cost of model calls by model',
  examples: ['agency costs', 'agency costs --today', 'agency costs --run run_7k2'],
  options: [
    value('--run <id>', 'Only this run'),
    value('--mission <id>', 'Only this mission'),
    onlyOrg,
    value('--persona <slug>', 'Only calls of this persona', { parse: reference }),
    flag('--today', 'Only calls of today, in local time'),
    json,
  ],
})
