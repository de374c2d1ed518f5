import { command, flag } from '../../declare.ts'
import { json, onlyOrg } from '../options.ts'

export const workspaceListCommand = command({
  name: 'list',
  summary: 'List workspaces with their disk use',
  examples: ['agency workspace list'],
  options: [flag('--all', 'Include removed workspaces'), onlyOrg, json],
})
