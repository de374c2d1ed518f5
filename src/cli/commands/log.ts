import { argument, command, flag } from '../declare.ts'

export const logCommand = command({
  name: 'log',
  summary: 'Write a line to the log of your run',
  examples: ['agency log "tests pass, writing docs"'],
  arguments: [argument('<message>')],
  options: [flag('--verbose', 'Show the line only at the level verbose')],
})
