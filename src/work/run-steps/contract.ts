import { z } from 'zod'

/** The ended step of a mission: that its output was applied, and what came of it. There is one for each brief. */
export const RunStep = z.object({
  briefId: z.string(),
  runId: z.string(),
  purpose: z.string(),
  status: z
    .enum(['done', 'failed', 'cancelled'])
    .describe('How its run ended; only the output of a done one is applied'),
  result: z.unknown().describe('What its handler made of the output; null: nothing'),
  appliedAt: z.string(),
})
export type RunStep = z.infer<typeof RunStep>
