import { z } from 'zod'

/** A part of a file that is shown. */
export const FilePart = z.object({
  path: z.string(),
  bytes: z.number().int().describe('The size of the whole file'),
  from: z.number().int(),
  encoding: z.enum(['utf8', 'base64']).describe('base64 if the file is not text'),
  content: z.string(),
  next: z.number().int().nullable().describe('Where to continue; null: this was the end'),
})
export type FilePart = z.infer<typeof FilePart>
