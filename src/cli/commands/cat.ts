import { argument, command, value } from '../declare.ts'
import { reference, whole } from './values.ts'

export const catCommand = command({
  name: 'cat',
  summary: 'Print a file or a document that a run has produced',
  examples: ['agency cat run_7k2 report.md', 'agency cat run_7k2 report.md --version 1 > first.md'],
  arguments: [
    argument('<run>', 'Run id, or its beginning', { parse: reference }),
    argument('<file>', 'Its name, as "agency inspect" shows it'),
  ],
  options: [
    value('--version <n>', 'This version; by default the newest accepted one', { parse: whole(1) }),
    value('--brief <id>', 'Only what this brief has produced (id, its beginning, or key)'),
  ],
})
