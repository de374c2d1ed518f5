import { command, required, value } from '../../declare.ts'
import { json } from '../options.ts'

export const orgCreateCommand = command({
  name: 'create',
  summary: 'Create an organisation with its directory and intent.md',
  examples: ['agency org create --name "Kent Ventures" --purpose economy --description "Small bets"'],
  options: [
    required('--name <name>', 'Name of the organisation'),
    required('--purpose <purpose>', 'Purpose in a word or two; the slug begins with it'),
    value('--description <text>', 'Description in a sentence or two'),
    json,
  ],
})
