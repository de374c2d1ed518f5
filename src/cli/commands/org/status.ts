import { command } from '../../declare.ts'
import { json, org } from '../options.ts'

export const orgStatusCommand = command({
  name: 'status',
  summary: 'Show filled and vacant seats and live agents',
  examples: ['agency org status --org development'],
  options: [org, json],
})
