import { command } from '../../declare.ts'
import { json } from '../options.ts'

export const workspaceDiskCommand = command({
  name: 'disk',
  summary: 'Show the disk use of the workspace root, part by part',
  examples: ['agency workspace disk'],
  options: [json],
})
