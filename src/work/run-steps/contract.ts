import { z } from 'zod'

/** The ended step of a mission: that its output was applied, with the result. There is one for each brief. */
export const RunStep = z.object({
  briefId: z.string(),
  runId: z.string(),
  purpose: z.string(),
  status: z
    .enum(['done', 'failed', 'cancelled'])
    .describe('How its run ended; only the output of a done one is applied'),
  result: z.unknown().describe('The result of its handler; null: none'),
  appliedAt: z.string(),
})
export type RunStep = z.infer<typeof RunStep>
