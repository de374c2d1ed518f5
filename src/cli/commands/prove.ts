import { argument, command, flag } from '../declare.ts'
import { json } from './options.ts'
import { reference } from './values.ts'

export const proveCommand = command({
  name: 'prove',
  summary: 'Check all evidence of a run again, today, on the commit that was merged',
  examples: ['agency prove run_7k2', 'agency prove run_7k2 --head'],
  arguments: [argument('<run>', 'Run id, or its beginning', { parse: reference })],
  options: [
    flag('--head', 'Check the target branch as it is now instead of the merged commit'),
    flag('--follow', 'Wait for the check that is under way, or show the last one'),
    flag('--cancel', 'Cancel the check that is under way'),
    json,
  ],
  check: (_, { head, follow, cancel }) =>
    [head, follow, cancel].filter(Boolean).length > 1 ? '--head, --follow and --cancel exclude each other' : undefined,
})
