import { z } from 'zod'

/** The gate at which the operator decides about a change that an agent may not make itself. */
export const amendmentGate = 'amendment'

/** The fields that every amendment has. */
export const AmendmentRecord = z.object({
  id: z.string(),
  runId: z.string(),
  kind: z.enum(['path', 'plan']).describe('path: the tiers of a workstream; plan: the briefs of a run'),
  proposedBy: z.string().describe('operator, or the author of the brief whose agent proposed it'),
  reason: z.string(),
  workstream: z.string().nullable().describe('Of a path; null for a plan'),
  beforePath: z.array(z.string()).describe('Empty for a plan'),
  afterPath: z.array(z.string()).describe('Empty for a plan'),
  acknowledgedBy: z.string().nullable().describe('The next higher tier of the path, once it was informed'),
  status: z
    .enum(['applied', 'proposed', 'rejected'])
    .describe('proposed: an agent may not make this change itself, and the operator decides at the gate'),
  gateId: z.string().nullable().describe('The gate at which the operator decides about a proposal'),
  at: z.string(),
})
export type AmendmentRecord = z.infer<typeof AmendmentRecord>
