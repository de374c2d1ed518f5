import { command, flag, value } from '../declare.ts'
import { json } from './options.ts'
import { reference } from './values.ts'

export const stopCommand = command({
  name: 'stop',
  summary: 'Launch nothing more and interrupt agents, everywhere or in one organisation, until "agency resume"',
  examples: ['agency stop --all --reason "too expensive"', 'agency stop --org development-1'],
  options: [
    flag('--all', 'Stop everything'),
    value('--org <org>', 'Stop only this organisation', { parse: reference }),
    value('--reason <text>', 'Reason for the stop'),
    json,
  ],
})
