import { command } from '../../declare.ts'
import { json } from '../options.ts'

export const orgAvailablePersonasCommand = command({
  name: 'available-personas',
  summary: 'List personas that hold no seat',
  examples: ['agency org available-personas'],
  options: [json],
})
