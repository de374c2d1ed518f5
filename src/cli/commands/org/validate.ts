import { command } from '../../declare.ts'
import { file, json } from '../options.ts'

export const orgValidateCommand = command({
  name: 'validate',
  summary: 'Print the faults of a document, one per line; exit 1 when there are any',
  examples: ['agency org validate --file development.yaml'],
  options: [file, json],
})
