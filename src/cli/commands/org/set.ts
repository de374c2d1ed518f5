import { argument, command } from '../../declare.ts'
import { json, org } from '../options.ts'
import { reference } from '../values.ts'

export const orgSetCommand = command({
  name: 'set',
  summary: 'Change one setting',
  examples: ['agency org set --org development governance enforce'],
  arguments: [
    argument('<key>', 'Setting; "agency org get --org <org>" lists them', { parse: reference }),
    argument('<value>'),
  ],
  options: [org, json],
})
