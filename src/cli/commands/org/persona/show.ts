import { command } from '../../../declare.ts'
import { json, slug } from '../../options.ts'

export const orgPersonaShowCommand = command({
  name: 'show',
  summary: 'Show one persona, its seats in all organisations, its files',
  examples: ['agency org persona show --slug architect-robbo-3'],
  options: [slug, json],
})
