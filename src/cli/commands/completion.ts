import { argument, command } from '../declare.ts'

export const completionCommand = command({
  name: 'completion',
  summary: 'Print a completion script',
  examples: ['source <(agency completion bash)'],
  arguments: [argument('<shell>', '', { choices: ['bash', 'zsh', 'fish'] })],
})
