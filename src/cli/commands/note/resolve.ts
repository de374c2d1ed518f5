import { argument, command } from '../../declare.ts'
import { category, noteBrief, scopeOptions } from '../options.ts'

export const noteResolveCommand = command({
  name: 'resolve',
  summary: 'Resolve a note that is yours to decide',
  examples: ['agency note resolve note_001 "named as its neighbours are" --category consistency'],
  arguments: [argument('<note>'), argument('<resolution>')],
  options: [noteBrief, ...scopeOptions, category],
})
