import { command, required, value } from '../declare.ts'
import { json, runOrGate, undoSeconds } from './options.ts'

export const rejectCommand = command({
  name: 'reject',
  summary: 'Reject a gate with a reason, so that its work is done again',
  examples: ['agency reject run_7k2 --reason "the second part is missing"'],
  arguments: [runOrGate],
  options: [
    required('--reason <text>', 'Reason; the agents that repeat the work read it'),
    value('--gate <kind>', 'Gate of the run: plan, acceptance, merge …'),
    value('--as <person>', 'Person who rejects'),
    undoSeconds,
    json,
  ],
})
