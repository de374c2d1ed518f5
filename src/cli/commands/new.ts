import { argument, command, flag, value } from '../declare.ts'
import { amount, collect, reference } from './values.ts'

/** The ways of working that the answer to `--depth` stands for. */
export const depths = { one: 'direct', team: 'tiered' } as const

export const newCommand = command({
  name: 'new',
  summary: 'Compose a run question by question, from a template or from nothing; every answer has a flag',
  examples: [
    'agency new',
    'agency new fix-issue --goal "The login page hangs" --repo .',
    'agency new --from run_7k2 --yes',
  ],
  arguments: [argument('[template]', 'Template to begin with')],
  options: [
    flag('--list', 'List the templates and the faults of template files; start nothing'),
    value('--from <run>', 'Begin with the settings of an earlier run; it is not changed', { parse: reference }),
    value('--goal <text>', 'Goal to achieve; the instructions of the template follow it'),
    value('--repo <path>', 'Git repository to work in; "none": an empty folder'),
    value('--runtime <name>', 'Agent: claude-code, llm, program or scripted (simulated)'),
    value('--option <name=value>', 'Option for the agent; repeatable', { parse: collect }),
    value('--program <command>', 'Program to run as agent, with its arguments'),
    value('--evidence <kind:value>', 'Proof: file:PATH, command:CMD, artifact:PATH, JSON, or none; repeatable', {
      parse: collect,
    }),
    value('--depth <depth>', 'One agent, or a team in five tiers', { choices: ['one', 'team'] }),
    value('--usd <amount>', 'Maximum cost of the run in US dollars', { parse: amount }),
    flag('--plan-gate', 'Start nothing before you approve the plan'),
    value('--acceptance <by>', 'operator: the result waits for your approval', { choices: ['auto', 'operator'] }),
    flag('--trust', 'Trust the file of the template, and let it start what it names'),
    flag('--yes', 'Ask no question: start with the given answers and the defaults'),
    flag('--watch', 'Follow the run on stderr; exit 0 when done, 1 when failed'),
    flag('--json', 'Print the whole run as JSON'),
  ],
  check: ([template], { from }) =>
    template !== undefined && from !== undefined ? 'give a template or --from <run>, not both' : undefined,
})
