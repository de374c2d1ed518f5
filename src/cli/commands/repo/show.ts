import { argument, command } from '../../declare.ts'
import { json } from '../options.ts'

export const repoShowCommand = command({
  name: 'show',
  summary: 'Show how work on a repository is checked',
  examples: ['agency repo show ~/shop'],
  arguments: [argument('[path]', 'A path in the repository; default: the current directory', { default: '.' })],
  options: [json],
})
