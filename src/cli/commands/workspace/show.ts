import { command } from '../../declare.ts'
import { json, mission } from '../options.ts'

export const workspaceShowCommand = command({
  name: 'show',
  summary: 'Show the directory, the permissions and the users of a workspace',
  examples: ['agency workspace show mis_4x'],
  arguments: [mission],
  options: [json],
})
