import { argument, command, value } from '../declare.ts'
import { json } from './options.ts'
import { reference } from './values.ts'

export const cancelCommand = command({
  name: 'cancel',
  summary: 'Cancel a run and its open briefs',
  examples: ['agency cancel run_7k2 --reason "wrong goal"'],
  arguments: [argument('<run>', 'Run id, or its beginning', { parse: reference })],
  options: [value('--reason <text>', 'Reason for the cancellation'), json],
})
