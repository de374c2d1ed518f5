import { command } from '../declare.ts'
import { json } from './options.ts'

export const overviewCommand = command({
  name: 'overview',
  summary: 'Show what waits for you, the work under way, money and the daemon; also "agency" alone',
  examples: ['agency overview', 'agency overview --json'],
  options: [json],
})
