import { z } from 'zod'

/** The judgement of a verifier at the end of its attempt. A pass lists everything that was checked: a pass without an entry is not accepted. */
export const Judgement = z.strictObject({
  verdict: z.enum(['pass', 'partial', 'fail']),
  checked: z
    .array(z.string().trim().min(1).max(1_000))
    .max(500)
    .default([])
    .describe('Outputs and everything else that you checked yourself'),
  missingEvidence: z.array(z.string().trim().min(1).max(2_000)).max(100).default([]),
  issues: z.array(z.string().trim().min(1).max(2_000)).max(100).default([]),
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
  checked: z.array(z.string()),
  missingEvidence: z.array(z.string()),
  issues: z.array(z.string()),
  notes: z.string(),
  at: z.string(),
})
export type Verdict = z.infer<typeof Verdict>
