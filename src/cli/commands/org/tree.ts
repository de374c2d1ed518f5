import { command, flag } from '../../declare.ts'
import { org } from '../options.ts'

export const orgTreeCommand = command({
  name: 'tree',
  summary: 'Show the chart: reporting lines, holders and vacant seats',
  examples: ['agency org tree --org development'],
  options: [org, flag('--mermaid', 'Print a Mermaid diagram'), flag('--json', 'Print the seats as JSON')],
})
