import { command, value } from '../../declare.ts'
import { json, missionStatuses, onlyOrg } from '../options.ts'

export const missionListCommand = command({
  name: 'list',
  summary: 'List missions, newest first',
  examples: ['agency mission list --status backlog'],
  options: [value('--status <status>', 'Only missions with this status', { choices: missionStatuses }), onlyOrg, json],
})
