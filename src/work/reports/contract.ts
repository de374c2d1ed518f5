import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { reportEndpoints } from './endpoints.ts'

export const Report = z.object({
  runId: z.string(),
  fileName: z.string(),
  text: z.string().describe('The whole report; HTML without scripts that loads nothing, or Markdown'),
})
export type Report = z.infer<typeof Report>

export const reportOperations = {
  make: operation({
    name: 'run.report',
    summary: 'Make a report of a run for people without Agency: one file with result, proofs, decisions and cost',
    ...reportEndpoints.make,
    input: z.strictObject({
      runId: z.string().describe('The id or a unique prefix'),
      format: z.enum(['html', 'markdown']).default('html'),
    }),
    output: Report,
    allow: ['operator'],
  }),
}
