import { argument, command, required, value } from '../../declare.ts'
import { json } from '../options.ts'
import { addedTiers, reference, removedTiers } from '../values.ts'

export const missionAmendCommand = command({
  name: 'amend',
  summary: 'Change the tiers on the path of a workstream of a tiered run',
  examples: [
    'agency mission amend run_7k2 --workstream api --add-tiers t2 --insert-before t3 --reason "two services meet"',
  ],
  arguments: [argument('<run>', 'Run id, or its beginning', { parse: reference })],
  options: [
    required('--workstream <id>', 'Workstream to amend'),
    value('--add-tiers <tiers>', 'Tiers to add to its path, comma-separated', { parse: addedTiers }),
    value('--insert-before <tier>', 'Tier of its path that the added tiers precede', { choices: ['t3', 't4', 't5'] }),
    value('--remove-tiers <tiers>', 'Tiers to remove from its path, comma-separated', { parse: removedTiers }),
    required('--reason <text>', 'Reason for the amendment'),
    json,
  ],
  check: (_, { addTiers, removeTiers }) =>
    addTiers === undefined && removeTiers === undefined
      ? 'nothing would change: add --add-tiers <tiers> or --remove-tiers <tiers>'
      : undefined,
})
