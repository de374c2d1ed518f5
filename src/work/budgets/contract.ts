import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { OfOrganisation, OrgReference, PersonaReference } from '../../org/references.contract.ts'
import { budgetEndpoints } from './endpoints.ts'

export const BudgetScope = z.enum(['brief', 'delegation', 'run', 'mission', 'persona', 'organisation'])
export type BudgetScope = z.infer<typeof BudgetScope>

/** A budget as it is stored: its limits, and everything spent by the work beneath it. */
export const BudgetRow = z.object({
  scope: BudgetScope,
  scopeId: z.string(),
  parentScope: BudgetScope.nullable().describe('The budget above it, if that has a limit'),
  parentId: z.string().nullable(),
  runId: z.string().nullable().describe('Of a brief, a delegation or a run'),
  organisationId: z.number().int().nullable().describe('Of a mission or an organisation'),
  tokenLimit: z.number().int().nullable(),
  costLimitMicros: z.number().int().nullable().describe('Millionths of a US dollar'),
  tokensSpent: z.number().int(),
  microsSpent: z.number().int(),
  warned: z.boolean().describe('The warning that four fifths are used was sent'),
  updatedAt: z.string(),
})
export type BudgetRow = z.infer<typeof BudgetRow>

/** A budget with the sum of its reservations. */
export const Budget = BudgetRow.extend({
  tokensReserved: z.number().int().describe('Reserved for running agents'),
  microsReserved: z.number().int(),
})
export type Budget = z.infer<typeof Budget>

/** A party that may use a reserved amount: an attempt, a delegation for its child, or a live agent. */
export interface Holder {
  readonly holder: 'attempt' | 'delegation' | 'agent'
  readonly holderId: string
}

/** Tokens and cost, which have separate limits; an amount without a limit is counted too. */
export interface Amount {
  readonly tokens: number
  /** Millionths of a US dollar. */
  readonly micros: number
}

/** The part of one budget that is set aside for one holder until it is spent or the holder ends. */
export interface Reservation extends Holder, Amount {
  readonly scope: BudgetScope
  readonly scopeId: string
  /** Null for a live agent, which belongs to no run. */
  readonly runId: string | null
  readonly organisationId: number
}

/** A budget as one attempt or agent sees it: with the reservations that it may use, its own first. */
export interface Account {
  readonly budget: Budget
  readonly holdings: readonly Reservation[]
}

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
    summary:
      'List budgets with spent and reserved amounts, latest change first; those of briefs only if their scope is given',
    ...budgetEndpoints.list,
    input: z.strictObject({
      scope: BudgetScope.optional(),
      organisationId: OfOrganisation,
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
