import { argument, command } from '../declare.ts'
import { json } from './options.ts'
import { reference } from './values.ts'

export const revertCommand = command({
  name: 'revert',
  summary: 'Take a merged result back with a new pull request',
  examples: ['agency revert run_7k2'],
  arguments: [argument('<run>', 'Run id, or its beginning', { parse: reference })],
  options: [json],
})
