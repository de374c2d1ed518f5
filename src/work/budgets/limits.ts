import type { Tx } from '../../db/port.ts'
import { create } from '../../events/change.ts'
import type { Budget, BudgetScope } from './contract.ts'
import { budgets } from './store.ts'

export interface NewLimits {
  tokens: number | null
  /** In US dollars. */
  usd: number | null
}

/** Creates the budget of a new run or mission that sets a limit; without a limit no row exists and no query costs anything. */
export async function limitFromTheStart(
  tx: Tx,
  of: { scope: BudgetScope; scopeId: string; organisationId: number | null; by: string },
  { tokens, usd }: NewLimits,
): Promise<void> {
  if (tokens === null && usd === null) return
  const budget: Budget = {
    scope: of.scope,
    scopeId: of.scopeId,
    organisationId: of.organisationId,
    tokenLimit: tokens,
    costLimitMicros: microsOf(usd),
    tokensSpent: 0,
    microsSpent: 0,
    tokensReserved: 0,
    microsReserved: 0,
    warned: false,
    updatedAt: tx.at,
  }
  await create(tx, budgets, budget, {
    kind: 'budget_set',
    by: of.by,
    level: 'verbose',
    ...(of.scope === 'run' ? { runId: of.scopeId } : {}),
    message: `the ${of.scope} has a budget`,
    data: { scope: of.scope, scope_id: of.scopeId, token_limit: tokens, cost_limit_micros: budget.costLimitMicros },
  })
}

export const microsOf = (usd: number | null): number | null =>
  usd === null ? null : Math.max(1, Math.round(usd * 1e6))
