import { command, value } from '../../declare.ts'
import { json, orgOption } from '../options.ts'
import { dollars, orOff, reference, whole } from '../values.ts'

export const budgetSetCommand = command({
  name: 'set',
  summary: 'Limit a run, a mission, an organisation or a persona; "off" removes a limit',
  examples: ['agency budget set --org development --usd 20', 'agency budget set --run run_7k2 --tokens 500000'],
  options: [
    value('--run <id>', 'Limit this run'),
    value('--mission <id>', 'Limit this mission'),
    orgOption('Limit this organisation from now on'),
    value('--persona <slug>', 'Limit this persona from now on', { parse: reference }),
    value('--tokens <n>', 'Maximum number of tokens, or "off"', { parse: orOff(whole(1, 1e12)) }),
    value('--usd <amount>', 'Maximum cost in US dollars, or "off"', { parse: orOff(dollars) }),
    json,
  ],
})
