import { command } from '../../declare.ts'
import { json, mission } from '../options.ts'

export const missionShowCommand = command({
  name: 'show',
  summary: 'Show one mission',
  examples: ['agency mission show mis_3f'],
  arguments: [mission],
  options: [json],
})
