import { command } from '../declare.ts'

export const downCommand = command({
  name: 'down',
  summary: 'Stop the daemon; running work resumes at the next start',
  examples: ['agency down'],
})
