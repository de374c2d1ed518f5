import { argument, command, value } from '../declare.ts'
import { json } from './options.ts'
import { reference, whole } from './values.ts'

export const proofCommand = command({
  name: 'proof',
  summary: 'Show the proof sheet of a run: claims, checks, verdicts, what was odd, what is not proven',
  examples: ['agency proof run_7k2', 'agency proof run_7k2 --json'],
  arguments: [argument('[run]', 'Run id, or its beginning; default: the newest run', { parse: reference })],
  options: [
    value('--limit <n>', 'Maximum number of claims (50)', { parse: whole(1, 200) }),
    value('--offset <n>', 'Number of claims to skip', { parse: whole(0, 1_000_000) }),
    json,
  ],
})
