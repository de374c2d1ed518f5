import { argument, command, flag, value } from '../declare.ts'
import { json } from './options.ts'
import { reference } from './values.ts'

export const inspectCommand = command({
  name: 'inspect',
  summary: 'Show a run with everything in it; on a terminal, as a tree to browse',
  examples: ['agency inspect', 'agency inspect run_7k2 --gates'],
  arguments: [argument('[run]', 'Run id, or its beginning; default: the newest run', { parse: reference })],
  options: [
    value('--brief <id>', 'Only this brief (id, key, end of the key, or title)'),
    flag('--history', 'With --brief: every event of the brief'),
    value('--tier <tier>', 'Only the documents, artifacts and briefs of this tier', {
      choices: ['t1', 't2', 't3', 't4', 't5'],
    }),
    flag('--gates', 'Only the gates: what was produced, what comes next'),
    flag('--questions', 'Only the questions'),
    flag('--escalations', 'Only the escalations'),
    flag('--verdicts', 'Only the verdicts'),
    flag('--notes', 'Only the notes'),
    flag('--artifacts', 'Only the artifacts'),
    flag('--amendments', 'Only the amendments of its plan and paths'),
    flag('--schemas', 'Without a run: print the JSON Schemas of the documents of a tiered run'),
    flag('--config', 'Only the configuration that the run started with'),
    flag('--tiers', 'Only the role, runtime and model of each tier; without a run, of one that would start now'),
    value('--team <file>', 'With --tiers: of this team file'),
    flag('--all', 'In the tree: also show the content of finished parts from the start'),
    flag('--failing', 'Only the briefs that fail or are blocked, and the decisions that are open'),
    flag('--plain', 'Print the run instead of a tree to browse, also on a terminal'),
    json,
  ],
  check: (_, { tiers, team }) => {
    if (!tiers && team !== undefined) return '--team needs --tiers'
    return undefined
  },
})
