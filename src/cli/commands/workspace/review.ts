import { command, value } from '../../declare.ts'
import { executionOptions, mission } from '../options.ts'

export const workspaceReviewCommand = command({
  name: 'review',
  summary: 'Let an agent review the workspace and report findings; changes nothing',
  examples: ['agency workspace review mis_4x --focus security'],
  arguments: [mission],
  options: [value('--focus <text>', 'Main subject of the review'), ...executionOptions],
})
