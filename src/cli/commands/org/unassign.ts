import { command } from '../../declare.ts'
import { json, positionId, preview } from '../options.ts'

export const orgUnassignCommand = command({
  name: 'unassign',
  summary: 'Vacate a seat; its history keeps the holder',
  examples: ['agency org unassign --position-id 5'],
  options: [positionId, preview, json],
})
