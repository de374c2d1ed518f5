import { command, value } from '../../declare.ts'
import { json, mission } from '../options.ts'

export const workspaceCheckCommand = command({
  name: 'check',
  summary: 'Check whether a path may be written or read from inside, and by which rule',
  examples: ['agency workspace check mis_4x --write /etc/x'],
  arguments: [mission],
  options: [
    value('--write <path>', 'Path to check for writing', { conflicts: 'read' }),
    value('--read <path>', 'Path to check for reading'),
    json,
  ],
  check: (_, { write, read }) =>
    write === undefined && read === undefined ? 'add --write <path> or --read <path>' : undefined,
})
