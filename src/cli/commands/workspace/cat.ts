import { argument, command } from '../../declare.ts'
import { mission } from '../options.ts'

export const workspaceCatCommand = command({
  name: 'cat',
  summary: 'Print a file unchanged',
  examples: ['agency workspace cat mis_4x README.md'],
  arguments: [mission, argument('<file>', 'File inside the workspace')],
})
