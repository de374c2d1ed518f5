import { command, flag } from '../../declare.ts'
import { json, org } from '../options.ts'

export const orgProposalsCommand = command({
  name: 'proposals',
  summary: 'List pending proposals',
  examples: ['agency org proposals --org development --all'],
  options: [org, flag('--all', 'Include decided proposals'), json],
})
