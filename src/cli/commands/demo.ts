import { argument, command, flag, value } from '../declare.ts'

export const demoCommand = command({
  name: 'demo',
  summary: 'Play a demonstration with simulated agents and follow it to its end',
  examples: ['agency demo tiered --profile medium', 'agency demo tiered --manual', 'agency demo liar'],
  arguments: [
    argument('[name]', 'tiered: a team; direct: one agent that forgets a file; liar: an agent whose “done” is not so', {
      choices: ['tiered', 'direct', 'liar'],
      default: 'tiered',
    }),
  ],
  options: [
    value('--profile <depth>', 'Depth of the tiered demonstration', { choices: ['full', 'medium', 'simple'] }),
    flag('--manual', 'Leave the gates to you; otherwise each is approved automatically after a moment'),
    value('--level <level>', 'Level of detail', { choices: ['normal', 'verbose'] }),
    flag('--json', 'Start the demonstration, print the run as JSON and do not follow it'),
  ],
  check: ([name], { profile }) =>
    name !== 'tiered' && profile !== undefined
      ? `--profile is for tiered: the demonstration ${name} has one depth`
      : undefined,
})
