import { command } from '../../../declare.ts'
import { file, json, org } from '../../options.ts'

export const orgIntentWriteCommand = command({
  name: 'write',
  summary: 'Replace intent.md; the previous version is kept as intent.md.bak',
  examples: ['agency org intent write --org development --file intent.md'],
  options: [org, file, json],
})
