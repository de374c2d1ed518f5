import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { TierName } from '../../team/contract.ts'
import { amendmentEndpoints } from './endpoints.ts'

/**
 * A logged change of a workstream's path. The operator's own, and an agent's that adds tiers to its own workstream, need
 * no approval; any other waits for the operator.
 */
export const Amendment = z.object({
  id: z.string(),
  runId: z.string(),
  kind: z.enum(['path']),
  proposedBy: z.string().describe('operator, or the author of the brief whose agent proposed it'),
  reason: z.string(),
  workstream: z.string(),
  beforePath: z.array(z.string()),
  afterPath: z.array(z.string()),
  acknowledgedBy: z.string().nullable().describe('The next higher tier of the path, once it was informed'),
  status: z
    .enum(['applied', 'proposed', 'rejected'])
    .describe('proposed: an agent may not make this change itself, and the operator decides at the gate'),
  gateId: z.string().nullable().describe('The gate at which the operator decides about a proposal'),
  at: z.string(),
})
export type Amendment = z.infer<typeof Amendment>

export const AmendPath = z.strictObject({
  removeTiers: z.array(TierName).max(5).default([]).describe('Tiers to remove from its remaining path'),
  addTiers: z.array(TierName).max(5).default([]).describe('Tiers to add to its path'),
  insertBefore: TierName.optional().describe('The tier of its path that the added ones come before'),
  workstream: z.string().min(1).max(100).describe('Its id in the plan'),
  reason: z.string().trim().min(1).max(2_000),
  runId: z.string().max(100).describe('The operator gives the id or its beginning; an agent its own run'),
})
export type AmendPath = z.infer<typeof AmendPath>

export const amendmentOperations = {
  amend: operation({
    name: 'run.amend',
    summary:
      'Change the tiers of a workstream’s remaining path; an agent may add tiers to its own, and proposes anything else',
    ...amendmentEndpoints.amend,
    input: AmendPath,
    output: Amendment,
    allow: ['operator', 'agent'],
    tool: 'amend_path',
  }),
}
