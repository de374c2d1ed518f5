import { argument, command } from '../../declare.ts'
import { json } from '../options.ts'
import { reference } from '../values.ts'

export const questionAckCommand = command({
  name: 'ack',
  summary: 'Mark a question as seen without answering it',
  examples: ['agency question ack qst_7k2'],
  arguments: [argument('<question>', 'Question id', { parse: reference })],
  options: [json],
})
