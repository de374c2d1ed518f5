import { command, flag, value } from '../declare.ts'
import { json, orgOption } from './options.ts'

export const stopCommand = command({
  name: 'stop',
  summary: 'Launch nothing more and interrupt agents, everywhere or in one organisation, until "agency resume"',
  examples: ['agency stop --all --reason "too expensive"', 'agency stop --org development'],
  options: [
    flag('--all', 'Stop everything'),
    orgOption('Stop only this organisation: its number, slug or name'),
    value('--reason <text>', 'Reason for the stop'),
    json,
  ],
})
