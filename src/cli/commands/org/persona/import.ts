import { argument, command, value } from '../../../declare.ts'
import { json, preview } from '../../options.ts'

export const orgPersonaImportCommand = command({
  name: 'import',
  summary: 'Import personas from .claude/agents or a folder of agents; prints each skipped file with the reason',
  examples: ['agency org persona import .claude/agents --preview'],
  arguments: [argument('<folder>', 'Folder, or a project that has .claude/agents')],
  options: [value('--role <role>', 'Role for all of them'), preview, json],
})
