import type { Tx } from '../../db/port.ts'
import { type Change, create, inserted } from '../../events/change.ts'
import type { BudgetRow } from './contract.ts'
import { budgets } from './store.ts'

export interface NewLimits {
  tokens: number | null
  /** In US dollars. */
  usd: number | null
}

/** The part of a new budget that names it and its place. */
export type BudgetPlace = Pick<BudgetRow, 'scope' | 'scopeId' | 'parentScope' | 'parentId' | 'runId' | 'organisationId'>

export const placeOfRun = (run: { id: string; missionId: string }): BudgetPlace => ({
  scope: 'run',
  scopeId: run.id,
  parentScope: 'mission',
  parentId: run.missionId,
  runId: run.id,
  organisationId: null,
})

export const placeOfMission = (mission: { id: string; organisationId: number }): BudgetPlace => ({
  scope: 'mission',
  scopeId: mission.id,
  parentScope: 'organisation',
  parentId: String(mission.organisationId),
  runId: null,
  organisationId: mission.organisationId,
})

const placeOfBrief = (brief: { id: string; runId: string }): BudgetPlace => ({
  scope: 'brief',
  scopeId: brief.id,
  parentScope: 'run',
  parentId: brief.runId,
  runId: brief.runId,
  organisationId: null,
})

/** An organisation and a persona are at the top. */
export const placeOfTop = (scope: 'organisation' | 'persona', id: number): BudgetPlace => ({
  scope,
  scopeId: String(id),
  parentScope: null,
  parentId: null,
  runId: null,
  organisationId: scope === 'organisation' ? id : null,
})

export const newBudget = (
  place: BudgetPlace,
  limits: Pick<BudgetRow, 'tokenLimit' | 'costLimitMicros'>,
  at: string,
): BudgetRow => ({ ...place, ...limits, tokensSpent: 0, microsSpent: 0, warned: false, updatedAt: at })

/** Creates the budget of a new run or mission that sets a limit; without a limit no row exists and no query costs anything. */
export async function limitFromTheStart(
  tx: Tx,
  place: BudgetPlace,
  by: string,
  { tokens, usd }: NewLimits,
): Promise<void> {
  if (tokens === null && usd === null) return
  const budget = newBudget(place, { tokenLimit: tokens, costLimitMicros: microsOf(usd) }, tx.at)
  await create(tx, budgets, budget, {
    kind: 'budget_set',
    by,
    level: 'verbose',
    ...(place.runId === null ? {} : { runId: place.runId }),
    message: `the ${place.scope} has a budget`,
    data: {
      scope: place.scope,
      scope_id: place.scopeId,
      token_limit: tokens,
      cost_limit_micros: budget.costLimitMicros,
    },
  })
}

/** Returns the change that stores the own budget of a new brief, if it has a limit. */
export const ownBudgetOf = (
  brief: { id: string; runId: string; createdAt: string },
  limits: Pick<BudgetRow, 'tokenLimit' | 'costLimitMicros'>,
): Change[] =>
  limits.tokenLimit === null && limits.costLimitMicros === null
    ? []
    : [inserted(budgets, newBudget(placeOfBrief(brief), limits, brief.createdAt))]

export const microsOf = (usd: number | null): number | null =>
  usd === null ? null : Math.max(1, Math.round(usd * 1e6))
