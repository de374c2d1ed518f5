import { z } from 'zod'

/** A logged change of the path that a workstream takes. It informs; nobody has to approve it. */
export const Amendment = z.object({
  id: z.string(),
  runId: z.string(),
  kind: z.enum(['path']),
  proposedBy: z.string().describe('operator, or the tier that proposed it: t3/<workstream>'),
  reason: z.string(),
  workstream: z.string(),
  beforePath: z.array(z.string()),
  afterPath: z.array(z.string()),
  acknowledgedBy: z.string().nullable().describe('The next higher tier of the path, once it was told'),
  at: z.string(),
})
export type Amendment = z.infer<typeof Amendment>
