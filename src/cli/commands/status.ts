import { command } from '../declare.ts'
import { json } from './options.ts'

export const statusCommand = command({
  name: 'status',
  summary: 'Show the state of the daemon',
  examples: ['agency status --json'],
  options: [json],
})
