import { command } from '../../declare.ts'
import { json } from '../options.ts'

export const workspaceDiskCommand = command({
  name: 'disk',
  summary: 'Show the disk use of all workspaces',
  examples: ['agency workspace disk'],
  options: [json],
})
