import { argument, command, flag, value } from '../declare.ts'
import { amount, collect, reference } from './values.ts'

export const forkCommand = command({
  name: 'fork',
  summary: 'Start a run with the settings of an ended run, or other ones, from its newest commit; prints its id',
  examples: ['agency fork run_7k2 --goal "Add tests for the login"', 'agency fork run_7k2 --from login'],
  arguments: [argument('<run>', 'Run id, or its beginning', { parse: reference })],
  options: [
    value('--goal <text>', 'Another goal'),
    value('--from <brief>', 'Begin with the result of this brief; its key or id'),
    value('--runtime <name>', 'Agent: claude-code, llm, program or scripted (simulated)'),
    value('--option <name=value>', 'Option for the agent; repeatable', { parse: collect }),
    value('--evidence <kind:value>', 'Proof: file:PATH, command:CMD, artifact:PATH, JSON, or none; repeatable', {
      parse: collect,
    }),
    value('--usd <amount>', 'Maximum cost of the run in US dollars', { parse: amount }),
    flag('--plan-gate', 'Start nothing before you approve the plan'),
    value('--acceptance <by>', 'operator: the result waits for your approval', { choices: ['auto', 'operator'] }),
    flag('--watch', 'Follow the run on stderr; exit 0 when done, 1 when failed'),
    flag('--json', 'Print the whole run as JSON'),
  ],
})
