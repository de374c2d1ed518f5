import { command, required, value } from '../../declare.ts'
import { json } from '../options.ts'
import { reference } from '../values.ts'

export const orgRouteCommand = command({
  name: 'route',
  summary: 'Resolve an address to its current seat and persona',
  examples: [
    'agency org route --from persona:developer-con-5 --to escalation',
    'agency org route --to "role:qa@development"',
  ],
  options: [
    value('--from <address>', 'persona:SLUG; optional for an agent'),
    required('--to <address>', 'persona:SLUG, position:TITLE@ORG, role:NAME@ORG, manager, escalation or operator'),
    value('--org <org>', 'Organisation of an address that names none', { parse: reference }),
    json,
  ],
})
