import { command } from '../../declare.ts'
import { json, org, preview } from '../options.ts'

export const orgArchiveCommand = command({
  name: 'archive',
  summary: 'Archive an organisation; "update --status active" restores it',
  examples: ['agency org archive --org development --preview'],
  options: [org, preview, json],
})
