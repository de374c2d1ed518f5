import { argument, command, value } from '../declare.ts'
import { json } from './options.ts'
import { reference } from './values.ts'

export const pauseCommand = command({
  name: 'pause',
  summary: 'Start no new work in a run; agents at work finish',
  examples: ['agency pause run_7k2'],
  arguments: [argument('<run>', 'Run id, or its beginning', { parse: reference })],
  options: [value('--reason <text>', 'Reason for the pause'), json],
})
