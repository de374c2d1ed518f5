import { command, flag } from '../../../declare.ts'
import { org } from '../../options.ts'

export const orgIntentReadCommand = command({
  name: 'read',
  summary: 'Print intent.md',
  examples: ['agency org intent read --org development'],
  options: [org, flag('--json', 'Print JSON, with the four lists of the intent')],
})
