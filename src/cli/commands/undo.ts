import { argument, command } from '../declare.ts'
import { json } from './options.ts'
import { reference } from './values.ts'

export const undoCommand = command({
  name: 'undo',
  summary: 'Take back a decision before it takes effect',
  examples: ['agency undo run_7k2', 'agency undo gat_7k2', 'agency undo qst_7k2'],
  arguments: [
    argument('<decision>', 'Gate, question or run that was decided: its id, or its beginning', { parse: reference }),
  ],
  options: [json],
})
