import { command } from '../../declare.ts'
import { json, personaSlug, positionId } from '../options.ts'

export const orgAssessFitCommand = command({
  name: 'assess-fit',
  summary: 'Compare the role of a seat, the intent and the skills of a persona; the judgement is yours',
  examples: ['agency org assess-fit --position-id 5 --persona-slug developer-con-5'],
  options: [positionId, personaSlug, json],
})
