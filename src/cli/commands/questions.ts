import { command, flag, value } from '../declare.ts'
import { json, limit, onlyOrg } from './options.ts'

export const questionsCommand = command({
  name: 'questions',
  summary: 'List pending questions, oldest first',
  examples: ['agency questions'],
  options: [
    value('--run <id>', 'Only questions of this run'),
    flag('--all', 'Include answered questions, newest first'),
    limit(500),
    onlyOrg,
    json,
  ],
})
