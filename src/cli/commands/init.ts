import { argument, command, flag, value } from '../declare.ts'
import { json } from './options.ts'

export const initCommand = command({
  name: 'init',
  summary: 'Write a first team file for runs in tiers; on a terminal, ask for its content',
  examples: [
    'agency init',
    'agency init team.yaml --agent claude-code --strict',
    'agency init models.yaml --agent scripted --provider <name> --model <name>',
  ],
  arguments: [argument('[file]', 'File to write', { default: 'team.yaml' })],
  options: [
    value('--agent <name>', 'Agent that writes and verifies the code; default: the one that is installed', {
      choices: ['claude-code', 'scripted'],
    }),
    value('--provider <name>', 'Provider of the model that plans; without one the agent plans too'),
    value('--model <name>', 'Model that plans'),
    flag('--strict', 'Make runs wait for you at every gate'),
    flag('--force', 'Replace a file that exists'),
    json,
  ],
  check: (_, { provider, model }) =>
    (provider === undefined) === (model === undefined) ? undefined : '--provider and --model need each other',
})
