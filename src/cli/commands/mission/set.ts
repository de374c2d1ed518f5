import { command, required, value } from '../../declare.ts'
import { json, mission, missionStatuses } from '../options.ts'

export const missionSetCommand = command({
  name: 'set',
  summary: 'Change the status of a mission',
  examples: ['agency mission set mis_3f --status paused --reason "waiting for legal"'],
  arguments: [mission],
  options: [
    required('--status <status>', 'New status', { choices: missionStatuses }),
    value('--reason <text>', 'Reason for the change'),
    json,
  ],
})
