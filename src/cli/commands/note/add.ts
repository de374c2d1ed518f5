import { argument, command, required, value } from '../../declare.ts'
import { category, scopeOptions } from '../options.ts'
import { collect } from '../values.ts'

export const noteAddCommand = command({
  name: 'add',
  summary: 'Record an assumption or a doubt; prints its id',
  examples: [
    'agency note add "Dates are UTC" --context "the brief names no zone" --category requirements',
    'agency note add "Dates are UTC" --context "asked by legal" --run run_7k2 --brief main',
  ],
  arguments: [argument('<description>')],
  options: [
    required('--context <text>', 'Where it came up, and why it matters'),
    value('--brief <brief>', 'Brief of the note: its id, or its key with --run (operator)'),
    value('--field <name=value>', 'Further field of the note, kept as it is; repeatable', { parse: collect }),
    ...scopeOptions,
    category,
  ],
})
