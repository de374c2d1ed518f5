import { command, flag } from '../../../declare.ts'
import { json, preview, slug } from '../../options.ts'

export const orgPersonaArchiveCommand = command({
  name: 'archive',
  summary: 'Archive a persona; "update --status active" restores it',
  examples: ['agency org persona archive --slug developer-con-5 --unassign'],
  options: [slug, flag('--unassign', 'Unassign it from its seats first'), preview, json],
})
