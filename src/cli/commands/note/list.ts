import { command, value } from '../../declare.ts'
import { scopeOptions } from '../options.ts'

export const noteListCommand = command({
  name: 'list',
  summary: 'List the notes of your brief, or of a run',
  examples: ['agency note list --run run_7k2 --status open'],
  options: [
    value('--brief <brief>', 'Only notes of this brief: its id, or its key with --run'),
    ...scopeOptions,
    value('--status <status>', 'Only notes with this status', { choices: ['open', 'resolved', 'escalated'] }),
  ],
})
