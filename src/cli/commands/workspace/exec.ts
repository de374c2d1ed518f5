import { command, required, value } from '../../declare.ts'
import { executionOptions, mission } from '../options.ts'
import { collect } from '../values.ts'

export const workspaceExecCommand = command({
  name: 'exec',
  summary: 'Let an agent do one task; prints its output, then the changes that git reports',
  examples: ['agency workspace exec mis_4x --prompt "Add a README" --mode cautious'],
  arguments: [mission],
  options: [
    required('--prompt <text>', 'Task for the agent'),
    value('--mode <mode>', 'What the agent may do without asking', { choices: ['yolo', 'cautious', 'plan_only'] }),
    value('--context <file>', 'File to read first; repeatable', { parse: collect }),
    ...executionOptions,
  ],
})
