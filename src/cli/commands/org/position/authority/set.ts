import { command, required } from '../../../../declare.ts'
import { authorityKinds, json, positionId } from '../../../options.ts'
import { amount } from '../../../values.ts'

export const orgPositionAuthoritySetCommand = command({
  name: 'set',
  summary: 'Set one limit of a seat: money or tokens',
  examples: [
    'agency org position authority set --position-id 5 --kind spend_per_day --limit 20 --unit USD --on-breach gate',
  ],
  options: [
    positionId,
    required('--kind <kind>', 'Kind of limit', { choices: authorityKinds }),
    required('--limit <n>', 'Maximum amount', { parse: amount }),
    required('--unit <unit>', 'Unit of the amount: USD, EUR, tokens'),
    required('--on-breach <what>', 'Consequence of a breach', { choices: ['refuse', 'gate', 'hard_stop'] }),
    json,
  ],
})
