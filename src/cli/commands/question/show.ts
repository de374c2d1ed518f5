import { argument, command } from '../../declare.ts'
import { json } from '../options.ts'
import { reference } from '../values.ts'

export const questionShowCommand = command({
  name: 'show',
  summary: 'Show one question with its options',
  examples: ['agency question show qst_7k2'],
  arguments: [argument('<question>', 'Question id', { parse: reference })],
  options: [json],
})
