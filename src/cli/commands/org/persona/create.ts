import { command, flag, required, value } from '../../../declare.ts'
import { json } from '../../options.ts'

export const orgPersonaCreateCommand = command({
  name: 'create',
  summary: 'Create a persona with skill.md and experience.md; also creates a missing role',
  examples: ['agency org persona create --name Con --role developer'],
  options: [
    required('--name <name>', 'Name of the persona'),
    required('--role <role>', 'Name of its role'),
    value('--type <type>', 'Type of persona', { choices: ['agent', 'person'] }),
    value('--subtype <subtype>', 'Member of this installation, or of another one', {
      choices: ['internal', 'external'],
    }),
    flag('--can-create-channel', 'Allow it to open channels'),
    json,
  ],
})
