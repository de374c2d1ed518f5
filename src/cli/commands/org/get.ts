import { argument, command } from '../../declare.ts'
import { json, org } from '../options.ts'

export const orgGetCommand = command({
  name: 'get',
  summary: 'Print all settings, or the value of one',
  examples: ['agency org get --org development governance'],
  arguments: [argument('[key]', 'Only this setting')],
  options: [org, json],
})
