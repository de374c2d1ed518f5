import { argument, command, value } from '../../declare.ts'
import { json } from '../options.ts'
import { reference } from '../values.ts'

export const prDiffCommand = command({
  name: 'diff',
  summary: 'Print the diff of a run, or of one brief',
  examples: ['agency pr diff run_7k2', 'agency pr diff brf_7k2'],
  arguments: [
    argument('[run-or-brief]', 'Run id, or its beginning, or a brief id; default: the newest pull request', {
      parse: reference,
    }),
  ],
  options: [value('--path <path>', 'Only this file or folder'), json],
})
