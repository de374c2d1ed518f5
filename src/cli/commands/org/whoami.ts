import { command, value } from '../../declare.ts'
import { json } from '../options.ts'
import { reference } from '../values.ts'

export const orgWhoamiCommand = command({
  name: 'whoami',
  summary: 'Show the card of a persona: seat, lines, peers, intent',
  examples: ['agency org whoami --persona-slug architect-robbo-3'],
  options: [
    value('--persona-slug <slug>', 'Slug or name; optional for an agent', { parse: reference }),
    value('--org <org>', 'Only seats in this organisation', { parse: reference }),
    json,
  ],
})
