import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { PlannedChange } from '../document/contract.ts'
import { OrgReference } from '../references.contract.ts'
import { proposalEndpoints } from './endpoints.ts'

export const Proposal = z.object({
  proposalId: z.number().int(),
  organisationId: z.number().int(),
  reason: z.string(),
  status: z.enum(['open', 'applied', 'rejected']),
  changes: z.array(PlannedChange),
  answer: z.string().nullable(),
  proposedBy: z.string(),
  createdAt: z.string(),
  decidedBy: z.string().nullable(),
  decidedAt: z.string().nullable(),
})
export type Proposal = z.infer<typeof Proposal>

const proposalId = z.coerce.number().int().positive()

export const proposalOperations = {
  propose: operation({
    name: 'org.propose',
    summary: 'Propose a changed document to the AR Director or the operator',
    ...proposalEndpoints.propose,
    input: z.strictObject({ document: z.string().max(20_000_000), reason: z.string().trim().min(1).max(5_000) }),
    output: Proposal,
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 0.02, burst: 5 },
  }),
  list: operation({
    name: 'org.proposals',
    summary: 'List proposals',
    ...proposalEndpoints.list,
    input: z.strictObject({ org: OrgReference, all: z.stringbool().default(false) }),
    output: z.object({ proposals: z.array(Proposal) }),
    allow: ['operator', 'agent'],
  }),
  apply: operation({
    name: 'org.proposal_apply',
    summary: 'Import a proposed document; for the AR Director and the operator',
    ...proposalEndpoints.apply,
    input: z.strictObject({ proposalId, force: z.boolean().default(false) }),
    output: Proposal,
    allow: ['operator', 'agent'],
  }),
  reject: operation({
    name: 'org.proposal_reject',
    summary: 'Reject a proposal with a reason',
    ...proposalEndpoints.reject,
    input: z.strictObject({ proposalId, answer: z.string().trim().min(1).max(5_000) }),
    output: Proposal,
    allow: ['operator', 'agent'],
  }),
}
