import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { TierName } from '../../team/contract.ts'
import { BriefSpec } from '../briefs/contract.ts'
import { trustFields } from '../trusted-files/contract.ts'
import { amendmentEndpoints } from './endpoints.ts'
import { AmendmentRecord } from './record.contract.ts'

/** A change of a brief that has not started: the given fields replace its own. */
export const BriefChange = BriefSpec.pick({ key: true, title: true, objective: true, context: true, evidence: true })
  .partial({ objective: true })
  .extend({ after: BriefSpec.shape.after.unwrap().optional() })
export type BriefChange = z.infer<typeof BriefChange>

export const PlanChanges = z.object({
  add: z.array(BriefSpec).max(10_000).default([]).describe('New briefs'),
  change: z.array(BriefChange).max(10_000).default([]).describe('New values of fields of briefs'),
  remove: z.array(z.string().max(64)).max(10_000).default([]).describe('Keys of briefs'),
})
export type PlanChanges = z.infer<typeof PlanChanges>

/**
 * A logged change of a workstream's path, or of the plan of a run. The operator's own, and an agent's that adds tiers to
 * its own workstream, need no approval; any other waits for the operator.
 */
export const Amendment = AmendmentRecord.extend({
  version: z
    .number()
    .int()
    .nullable()
    .describe('The version of the plan that it makes, from 2: a run starts with version 1; null for a path'),
  changes: PlanChanges.nullable().describe('The changes of a plan; null for a path'),
  touched: z.array(z.string()).describe('Keys of the briefs that a change of a plan touches; empty for a path'),
  diff: z.string().nullable().describe('The changed lines of the plan as text; null for a path'),
})
export type Amendment = z.infer<typeof Amendment>

export type PathAmendment = Amendment & { kind: 'path'; workstream: string }
export type PlanAmendment = Amendment & { kind: 'plan'; version: number; changes: PlanChanges; diff: string }

export const isOfPath = (amendment: Amendment): amendment is PathAmendment => amendment.kind === 'path'
export const isOfPlan = (amendment: Amendment): amendment is PlanAmendment => amendment.kind === 'plan'

export const AmendPath = z.strictObject({
  removeTiers: z.array(TierName).max(5).default([]).describe('Tiers to remove from its remaining path'),
  addTiers: z.array(TierName).max(5).default([]).describe('Tiers to add to its path'),
  insertBefore: TierName.optional().describe('The tier of its path that the added ones come before'),
  workstream: z.string().min(1).max(100).describe('Its id in the plan'),
  reason: z.string().trim().min(1).max(2_000),
  runId: z.string().max(100).describe('The operator gives the id or its beginning; an agent its own run'),
})
export type AmendPath = z.infer<typeof AmendPath>

/**
 * A change of the plan of a run: a whole plan as a document, or single changes. Given with a document, `add`, `change`
 * and `remove` are refused.
 */
export const AmendPlan = z.strictObject({
  plan: z.string().min(1).max(8_000_000).optional().describe('YAML: the whole plan as it should be'),
  add: PlanChanges.shape.add.unwrap().optional(),
  change: PlanChanges.shape.change.unwrap().optional(),
  remove: PlanChanges.shape.remove.unwrap().optional(),
  base: z
    .number()
    .int()
    .min(1)
    .default(1)
    .describe('The version of the plan that it was made from; refused if the plan has another one by now'),
  reason: z.string().trim().min(1).max(2_000),
  runId: z.string().max(100).describe('The operator gives the id or its beginning; an agent its own run'),
  ...trustFields,
})
export type AmendPlan = z.infer<typeof AmendPlan>

export const amendmentOperations = {
  amendPlan: operation({
    name: 'run.amend_plan',
    summary: 'Add, change or remove briefs that have not started; an agent only proposes it',
    ...amendmentEndpoints.amendPlan,
    input: AmendPlan,
    output: Amendment,
    allow: ['operator', 'agent'],
    tool: 'amend_plan',
  }),
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
