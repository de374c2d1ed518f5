import { z } from 'zod'

const Path = z.string().trim().min(1).max(1_000)
const Text = (max: number) => z.string().trim().min(1).max(max)

/** One thing that a verifier has looked at: a file, which the engine compares, or anything else in words. */
export const Checked = z.union([
  Text(2_000),
  z
    .strictObject({
      path: Path.optional().describe('A file of the judged work, relative to the workspace'),
      sha256: z
        .string()
        .trim()
        .toLowerCase()
        .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits' })
        .optional()
        .describe('Its SHA-256, as you computed it'),
      line: z.number().int().min(1).optional(),
      quote: z
        .string()
        .max(4_000)
        .optional()
        .describe('A whole line of it, or all of a short file; empty for an empty file'),
      what: Text(2_000).optional().describe('Anything else that you checked, or your observation'),
    })
    .refine(({ path, what }) => path !== undefined || what !== undefined, {
      error: 'needs a path, or what was checked',
    }),
])
export type Checked = z.infer<typeof Checked>

/** The judgement of a verifier at the end of its attempt. A pass proves for every output that it was opened. */
export const Judgement = z.strictObject({
  verdict: z.enum(['pass', 'partial', 'fail']),
  checked: z
    .array(Checked)
    .max(500)
    .default([])
    .describe(
      'Everything that you checked yourself. A pass has an entry for every output, with its sha256 or a quoted line: {"path": "…", "quote": "…"}',
    ),
  missingEvidence: z.array(Text(2_000)).max(100).default([]),
  issues: z.array(Text(2_000)).max(100).default([]),
  notes: z.string().max(20_000).default(''),
})
export type Judgement = z.infer<typeof Judgement>

export const Verdict = z.object({
  id: z.string(),
  runId: z.string(),
  briefId: z.string(),
  scope: z.enum(['brief', 'joint', 'poc']),
  attempt: z.number().int().describe('The attempt of the brief that was judged'),
  doerId: z.number().int().describe('The agent that did the work'),
  doerPersonaId: z.number().int(),
  verifierId: z.number().int().describe('The agent that judged it, never the doer'),
  verifierPersonaId: z.number().int(),
  verifierBriefId: z.string(),
  verdict: z.enum(['pass', 'partial', 'fail']),
  checked: z.array(Checked).describe('Texts, and files with the hash or the line that was compared'),
  missingEvidence: z.array(z.string()),
  issues: z.array(z.string()),
  notes: z.string(),
  at: z.string(),
})
export type Verdict = z.infer<typeof Verdict>
