import { command, flag } from '../../declare.ts'
import { json, mission } from '../options.ts'

export const workspaceRmCommand = command({
  name: 'rm',
  summary: 'Remove a workspace; its mission and log stay',
  examples: ['agency workspace rm mis_4x'],
  arguments: [mission],
  options: [flag('--force', 'Remove it even if the work in its clone cannot be kept'), json],
})
