import { argument, command } from '../../declare.ts'
import { json } from '../options.ts'
import { reference } from '../values.ts'

export const talentShowCommand = command({
  name: 'show',
  summary: 'Show one personality: its five fields and its text',
  examples: ['agency talent show sre'],
  arguments: [argument('<name>', 'Name, file name with or without its division, or path', { parse: reference })],
  options: [json],
})
