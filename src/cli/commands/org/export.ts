import { command, flag, value } from '../../declare.ts'
import { org } from '../options.ts'

export const orgExportCommand = command({
  name: 'export',
  summary: 'Export an organisation as a document: structure, intent, assignments',
  examples: [
    'agency org export --org development > development.yaml',
    'agency org export --org development | agency org validate',
  ],
  options: [
    org,
    value('--format <format>', 'Format of the document', { choices: ['yaml', 'json', 'markdown'], default: 'yaml' }),
    flag('--positions-only', 'Only the seats'),
    value('--role <role>', 'Only seats of this role'),
    flag('--all-roles', 'Include roles that no seat has'),
    flag('--json', 'Same as --format json'),
  ],
})
