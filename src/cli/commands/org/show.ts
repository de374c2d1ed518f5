import { command } from '../../declare.ts'
import { json, org } from '../options.ts'

export const orgShowCommand = command({
  name: 'show',
  summary: 'Show one organisation',
  examples: ['agency org show --org development'],
  options: [org, json],
})
