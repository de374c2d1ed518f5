import { argument, command } from '../../declare.ts'
import { json, mission } from '../options.ts'

export const workspaceLsCommand = command({
  name: 'ls',
  summary: 'List the files of a folder',
  examples: ['agency workspace ls mis_4x src'],
  arguments: [mission, argument('[path]', 'Folder inside the workspace')],
  options: [json],
})
