import { argument, command } from '../../declare.ts'
import { category, noteBrief, scopeOptions } from '../options.ts'

export const noteEscalateCommand = command({
  name: 'escalate',
  summary: 'Escalate a note: it becomes a question',
  examples: ['agency note escalate note_001 "two databases would do" --category technology'],
  arguments: [argument('<note>'), argument('<reason>')],
  options: [noteBrief, ...scopeOptions, category],
})
