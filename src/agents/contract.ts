import { z } from 'zod'

/** One live session of a persona on a runtime; for now, one per attempt. */
export const Agent = z.object({
  id: z.number().int(),
  personaId: z.number().int(),
  positionId: z.number().int().nullable(),
  previousAgentId: z.number().int().nullable(),
  runId: z.string().nullable(),
  runtime: z.string(),
  state: z.enum(['starting', 'working', 'ended']),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
})
export type Agent = z.infer<typeof Agent>
