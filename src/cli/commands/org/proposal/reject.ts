import { argument, command, required } from '../../../declare.ts'
import { json } from '../../options.ts'
import { whole } from '../../values.ts'

export const orgProposalRejectCommand = command({
  name: 'reject',
  summary: 'Reject a proposal',
  examples: ['agency org proposal reject 3 --reason "Not this quarter"'],
  arguments: [argument('<proposal-id>', 'Number of the proposal', { parse: whole(1) })],
  options: [required('--reason <text>', 'Reason for the rejection'), json],
})
