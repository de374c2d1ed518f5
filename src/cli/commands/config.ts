import { command, flag } from '../declare.ts'
import { json } from './options.ts'

export const configCommand = command({
  name: 'config',
  summary: 'Print every setting with its value',
  examples: ['agency config --explain'],
  options: [flag('--explain', 'Show the source and the meaning of each value'), json],
})
