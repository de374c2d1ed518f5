import { command, value } from '../declare.ts'
import { json, runOrGate, undoSeconds } from './options.ts'

export const approveCommand = command({
  name: 'approve',
  summary: 'Approve a gate, so that its run continues',
  examples: ['agency approve run_7k2', 'agency approve gat_7k2 --note "ship it"'],
  arguments: [runOrGate],
  options: [
    value('--gate <kind>', 'Gate of the run: plan, acceptance, merge …'),
    value('--note <text>', 'Note to keep with the decision'),
    value('--as <person>', 'Person who approves, where several have to'),
    undoSeconds,
    json,
  ],
})
