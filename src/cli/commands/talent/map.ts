import { command } from '../../declare.ts'
import { json } from '../options.ts'

export const talentMapCommand = command({
  name: 'map',
  summary: 'Show the default personality by tier and domain, used where a plan names none',
  examples: ['agency talent map'],
  options: [json],
})
