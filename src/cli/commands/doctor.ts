import { command, flag, optionalValue, value } from '../declare.ts'
import { json } from './options.ts'

export const doctorCommand = command({
  name: 'doctor',
  summary: 'Check this installation and suggest repairs',
  examples: [
    'agency doctor',
    'agency doctor --security',
    'agency doctor --audit --replay',
    'agency doctor --team team.yaml',
  ],
  options: [
    flag('--security', 'Check only which safety boundaries hold on this machine'),
    flag('--audit', 'Recompute the hash chain of every event'),
    value('--team <file>', 'Check only this team file: print the resolved team, or its faults'),
    optionalValue('--replay [run]', 'Rebuild the tables from all events, or from those of one run, and compare them'),
    json,
  ],
})
