import { argument, command, flag } from '../../declare.ts'
import { json } from '../options.ts'
import { wholeText } from '../values.ts'

export const agentShowCommand = command({
  name: 'show',
  summary: 'Show an agent, or every text that it was sent',
  examples: ['agency agent show 12', 'agency agent show 12 --prompt'],
  arguments: [argument('<agent>', 'Number of the agent', { parse: wholeText(1, Number.MAX_SAFE_INTEGER) })],
  options: [flag('--prompt', 'Print its system prompt and its prompt, as they were sent'), json],
})
