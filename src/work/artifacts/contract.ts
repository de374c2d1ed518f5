import { z } from 'zod'

/**
 * A file or a document of a run, kept by its hash; writing a name again adds a version. An attempt produced it, or an
 * author wrote it: a document of the operator belongs to no brief.
 */
export const Artifact = z.object({
  id: z.string(),
  runId: z.string(),
  briefId: z.string().nullable(),
  attemptId: z.string().nullable(),
  author: z.string().nullable().describe('operator, engine or seat:<id>; null: the attempt produced it'),
  name: z.string(),
  version: z.number().int(),
  path: z.string().describe('Inside the workspace'),
  sha256: z.string(),
  bytes: z.number().int(),
  content: z.string().nullable().describe('A document of the run itself, as JSON; null: a file'),
  at: z.string(),
})
export type Artifact = z.infer<typeof Artifact>
