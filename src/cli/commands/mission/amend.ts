import { argument, command, flag, required, value } from '../../declare.ts'
import { json } from '../options.ts'
import { addedTiers, reference, removedTiers, whole } from '../values.ts'

export const missionAmendCommand = command({
  name: 'amend',
  summary: 'Change the plan of a run, or the tiers on the path of a workstream of a tiered run',
  examples: [
    'agency mission amend run_7k2 --plan plan.yaml --reason "the shop needs a search"',
    'agency mission amend run_7k2 --workstream api --add-tiers t2 --insert-before t3 --reason "two services meet"',
  ],
  arguments: [argument('<run>', 'Run id, or its beginning', { parse: reference })],
  options: [
    value('--plan <file>', 'The whole plan as it should be; only briefs that have not started can change'),
    value('--base <version>', 'With --plan: version of the plan that it was made from; default: 1', {
      parse: whole(1, 1e6),
    }),
    flag('--trust', 'Trust the plan, and let it start what it names'),
    value('--workstream <id>', 'Workstream to amend'),
    value('--add-tiers <tiers>', 'Tiers to add to its path, comma-separated', { parse: addedTiers }),
    value('--insert-before <tier>', 'Tier of its path that the added tiers precede', { choices: ['t3', 't4', 't5'] }),
    value('--remove-tiers <tiers>', 'Tiers to remove from its path, comma-separated', { parse: removedTiers }),
    required('--reason <text>', 'Reason for the amendment'),
    json,
  ],
  check: (_, { plan, base, trust, workstream, addTiers, insertBefore, removeTiers }) => {
    const isPath = [workstream, addTiers, insertBefore, removeTiers].some((given) => given !== undefined)
    if (plan !== undefined) return isPath ? '--plan and --workstream cannot be given together' : undefined
    if (workstream === undefined) return 'nothing would change: add --plan <file> or --workstream <id>'
    if (base !== undefined || trust) return '--base and --trust need --plan'
    return addTiers === undefined && removeTiers === undefined
      ? 'nothing would change: add --add-tiers <tiers> or --remove-tiers <tiers>'
      : undefined
  },
})
