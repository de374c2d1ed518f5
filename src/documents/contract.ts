import { z } from 'zod'

/** One fault of a YAML document; line and column are null where it belongs to no line. */
export const Fault = z.object({
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
  subject: z.string().nullable().describe('The title, role or key it is about'),
})
export type Fault = z.infer<typeof Fault>
