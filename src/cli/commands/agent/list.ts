import { command, value } from '../../declare.ts'
import { json, limit, onlyOrg } from '../options.ts'

export const agentListCommand = command({
  name: 'list',
  summary: 'List the agents of a run, or all agents at work',
  examples: ['agency agent list --run run_7k2'],
  options: [value('--run <run>', 'Run id, or its beginning'), limit(10_000), onlyOrg, json],
})
