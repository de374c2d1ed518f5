import { z } from 'zod'

import {
  Acceptance,
  Architecture,
  Conflict,
  CriticisedPlan,
  DomainBoundaries,
  IntegrationSummary,
  JointVerdict,
  Proposal,
  SharedAssumptions,
  TaskList,
  TierPlan,
} from '../../playbooks/tiered/contract.ts'

/** Schemas by document name; `*` stands for a workstream, a squad or a wave. */
const documents: Readonly<Record<string, z.ZodType>> = {
  t1_plan_draft: TierPlan,
  t1_plan: CriticisedPlan,
  domain_boundaries: DomainBoundaries,
  shared_assumptions: SharedAssumptions,
  'architecture_proposal/*': Proposal,
  'conflicts/*': z.object({ conflicts: z.array(Conflict) }),
  canonical_architecture: Architecture,
  'acceptance/*': Acceptance,
  'tasks/*/*': TaskList,
  'joint_verdict/*/*': JointVerdict,
  integration_summary: IntegrationSummary,
}

export const documentSchemas = (): Record<string, z.core.JSONSchema.BaseSchema> =>
  Object.fromEntries(
    Object.entries(documents).map(([name, schema]) => [name, z.toJSONSchema(schema, { unrepresentable: 'any' })]),
  )
