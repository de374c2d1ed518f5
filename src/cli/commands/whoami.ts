import { command } from '../declare.ts'
import { json } from './options.ts'

export const whoamiCommand = command({
  name: 'whoami',
  summary: 'Print the identity of your credentials',
  examples: ['agency whoami'],
  options: [json],
})
