import { argument, command, flag } from '../../../declare.ts'
import { json } from '../../options.ts'
import { whole } from '../../values.ts'

export const orgProposalApplyCommand = command({
  name: 'apply',
  summary: 'Import a proposed document',
  examples: ['agency org proposal apply 3'],
  arguments: [argument('<proposal-id>', 'Number of the proposal', { parse: whole(1) })],
  options: [flag('--force', 'Replace the holder of a seat that has been filled since'), json],
})
