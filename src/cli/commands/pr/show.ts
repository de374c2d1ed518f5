import { argument, command } from '../../declare.ts'
import { json } from '../options.ts'
import { reference } from '../values.ts'

export const prShowCommand = command({
  name: 'show',
  summary: 'Show the changes of a pull request and the checks that support it',
  examples: ['agency pr show run_7k2'],
  arguments: [argument('[run]', 'Run id, or its beginning; default: the newest pull request', { parse: reference })],
  options: [json],
})
