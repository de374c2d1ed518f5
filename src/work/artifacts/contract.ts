import { z } from 'zod'

/** A file or a document that a brief produced, kept by its hash; writing a name again adds a version. */
export const Artifact = z.object({
  id: z.string(),
  runId: z.string(),
  briefId: z.string(),
  attemptId: z.string(),
  name: z.string(),
  version: z.number().int(),
  path: z.string().describe('Inside the workspace'),
  sha256: z.string(),
  bytes: z.number().int(),
  content: z.string().nullable().describe('A document of the run itself, as JSON; null: a file'),
  at: z.string(),
})
export type Artifact = z.infer<typeof Artifact>
