import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { OrgReference, PersonaReference } from '../../org/references.contract.ts'
import { budgetEndpoints } from './endpoints.ts'

export const BudgetScope = z.enum(['run', 'mission', 'persona', 'organisation'])
export type BudgetScope = z.infer<typeof BudgetScope>

/** A limit above a brief's own. The amount that a running agent may still use is reserved until it is spent or returned. */
export const Budget = z.object({
  scope: BudgetScope,
  scopeId: z.string(),
  organisationId: z.number().int().nullable().describe('Of a mission or an organisation'),
  tokenLimit: z.number().int().nullable(),
  costLimitMicros: z.number().int().nullable().describe('Millionths of a US dollar'),
  tokensSpent: z.number().int(),
  microsSpent: z.number().int(),
  tokensReserved: z.number().int().describe('Reserved for running agents'),
  microsReserved: z.number().int(),
  warned: z.boolean().describe('The warning that four fifths are used was sent'),
  updatedAt: z.string(),
})
export type Budget = z.infer<typeof Budget>

const Tokens = z.number().int().positive().max(1e12).nullable()
const Usd = z.number().positive().max(1e6).nullable()

/** Exactly one of the four names the owner. */
export const SetBudget = z
  .strictObject({
    runId: z.string().optional(),
    missionId: z.string().optional(),
    organisation: OrgReference.optional(),
    persona: PersonaReference.optional(),
    tokens: Tokens.optional().describe('Tokens; null: no limit'),
    usd: Usd.optional().describe('US dollars; null: no limit'),
  })
  .refine(
    ({ runId, missionId, organisation, persona }) =>
      [runId, missionId, organisation, persona].filter((each) => each !== undefined).length === 1,
    { error: 'give exactly one of run_id, mission_id, organisation and persona' },
  )
  .refine(({ tokens, usd }) => tokens !== undefined || usd !== undefined, { error: 'give tokens, usd or both' })
export type SetBudget = z.infer<typeof SetBudget>

export const budgetOperations = {
  list: operation({
    name: 'budget.list',
    summary: 'List budgets with spent and reserved amounts, latest change first',
    ...budgetEndpoints.list,
    input: z.strictObject({
      scope: BudgetScope.optional(),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    output: z.object({ budgets: z.array(Budget) }),
    allow: ['operator'],
  }),
  set: operation({
    name: 'budget.set',
    summary: 'Limit the use of a run, a mission, an organisation or a persona; briefs held by a lower limit continue',
    ...budgetEndpoints.set,
    input: SetBudget,
    output: Budget,
    allow: ['operator'],
  }),
}
