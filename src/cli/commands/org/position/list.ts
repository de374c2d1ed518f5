import { command } from '../../../declare.ts'
import { json, org } from '../../options.ts'

export const orgPositionListCommand = command({
  name: 'list',
  summary: 'List seats with their holders',
  examples: ['agency org position list --org development'],
  options: [org, json],
})
