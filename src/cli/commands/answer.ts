import { argument, command } from '../declare.ts'
import { json, undoSeconds } from './options.ts'
import { reference } from './values.ts'

export const answerCommand = command({
  name: 'answer',
  summary: 'Answer a question with the key of an option, or in your own words',
  examples: ['agency answer qst_7k2 retry', 'agency answer qst_7k2 "Use the European date format"'],
  arguments: [
    argument('<question>', 'Question id', { parse: reference }),
    argument('<answer>', 'Key of an option, or your own words'),
  ],
  options: [undoSeconds, json],
})
