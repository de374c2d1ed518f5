import { argument, command } from '../../declare.ts'
import { scopeOptions } from '../options.ts'

export const noteShowCommand = command({
  name: 'show',
  summary: 'Show one note',
  examples: ['agency note show note_001 --run run_7k2'],
  arguments: [argument('<note>')],
  options: scopeOptions,
})
