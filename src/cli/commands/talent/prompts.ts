import { command } from '../../declare.ts'
import { json } from '../options.ts'

export const talentPromptsCommand = command({
  name: 'prompts',
  summary: 'List the prompt files of playbooks, and which ones you have replaced',
  examples: ['agency talent prompts'],
  options: [json],
})
