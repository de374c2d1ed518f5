import { argument, command } from '../declare.ts'
import { json, orgOption } from './options.ts'
import { reference } from './values.ts'

export const resumeCommand = command({
  name: 'resume',
  summary: 'Resume a paused run; without a run, lift a stop',
  examples: ['agency resume run_7k2', 'agency resume', 'agency resume --org development'],
  arguments: [argument('[run]', 'Run id, or its beginning', { parse: reference })],
  options: [orgOption('Lift the stop of this organisation'), json],
})
