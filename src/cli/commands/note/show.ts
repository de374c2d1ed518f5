import { argument, command } from '../../declare.ts'
import { noteBrief, scopeOptions } from '../options.ts'

export const noteShowCommand = command({
  name: 'show',
  summary: 'Show one note',
  examples: ['agency note show note_001 --run run_7k2 --brief main', 'agency note show nte_5p3k20a1b2c3 --json'],
  arguments: [argument('<note>')],
  options: [noteBrief, ...scopeOptions],
})
