import { command, required, value } from '../declare.ts'

export const reportCommand = command({
  name: 'report',
  summary: 'Report your result; the last report of an attempt counts',
  examples: ['agency report --status done --summary "Wrote the haiku" --output poem.txt'],
  options: [
    required('--status <status>', 'Result', { choices: ['done', 'partial', 'blocked'] }),
    required('--summary <text>', 'Summary of your work, or of the obstacle'),
    value('--output <path...>', 'Files you produced, inside the workspace'),
    value('--remaining <text>', 'With partial: the work that remains'),
  ],
})
