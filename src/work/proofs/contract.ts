import { z } from 'zod'

import { CheckedIn } from '../attempts/contract.ts'
import { Evidence } from '../evidence/contract.ts'

/** One item of evidence, checked again on the merged result. */
export const ProofFinding = z.object({
  evidence: Evidence,
  briefs: z.array(z.string()).describe('Keys of the briefs that declare it'),
  passed: z.boolean(),
  detail: z.string().describe('The reason, in one line'),
  output: z.string().describe('The beginning of the output or of the response'),
  boxed: z.boolean().describe('Whether it ran in a sandbox'),
  sha256: z
    .string()
    .nullable()
    .optional()
    .describe('SHA-256 of the whole output, the file, or the response body; absent in proofs of earlier releases'),
  durationMs: z.number().int().optional(),
  setup: z.string().nullable().optional().describe('The command that prepared the checkout, if one did'),
  checkedFor: z
    .string()
    .optional()
    .describe('Key of the brief whose check this is, of a commit with the same files; absent: checked for this proof'),
})
export type ProofFinding = z.infer<typeof ProofFinding>

/** The check of a run's whole result: all evidence of its briefs, once more, on the commit that is merged. */
export const Proof = z.object({
  id: z.string(),
  runId: z.string(),
  head: z.string().describe('The commit that is proven'),
  cause: z
    .enum(['merge', 'landing'])
    .describe('merge: before the gate opens; landing: after a merge with new commits of the target branch'),
  status: z
    .enum(['waiting', 'passed', 'failed', 'unchecked', 'cancelled'])
    .describe('unchecked: something could not be checked, which says nothing about the work'),
  gate: z.record(z.string(), z.unknown()).nullable().describe('The gate that opens when the proof holds'),
  findings: z.array(ProofFinding),
  checkedIn: CheckedIn.nullable(),
  detail: z.string().nullable().describe('The reason of its end, in one line'),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
})
export type Proof = z.infer<typeof Proof>

/** The proof as a pull request shows it. */
export const ProofLine = Proof.pick({ head: true, status: true, detail: true })
export type ProofLine = z.infer<typeof ProofLine>
