import { command, flag, value } from '../../../declare.ts'
import { json, slug, trueFalse } from '../../options.ts'

export const orgPersonaUpdateCommand = command({
  name: 'update',
  summary: 'Change the name, role or status of a persona; slug and directory stay',
  examples: ['agency org persona update --slug architect-robbo-3 --status active'],
  options: [
    slug,
    value('--name <name>', 'New name'),
    value('--role <role>', 'Name of its role'),
    value('--status <status>', 'New status', { choices: ['active', 'archived'] }),
    trueFalse('--can-create-channel [true|false]', 'Whether it may open channels'),
    flag('--unassign', 'With --status archived: unassign it from its seats first'),
    json,
  ],
})
