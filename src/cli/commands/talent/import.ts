import { argument, command } from '../../declare.ts'
import { json } from '../options.ts'

export const talentImportCommand = command({
  name: 'import',
  summary: 'Import the personalities of a folder; prints each skipped file with the reason',
  examples: ['agency talent import ~/agency-agents', 'agency talent import .claude/agents'],
  arguments: [argument('<folder>', 'Pool of division folders, or a project that has .claude/agents')],
  options: [json],
})
