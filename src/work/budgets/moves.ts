import type { Stream } from '../../db/port.ts'
import { appendEvent } from '../../events/append.ts'
import { type Change, record, updated } from '../../events/change.ts'
import type { Attempt } from '../attempts/contract.ts'
import type { Budget } from './contract.ts'
import { budgets, listBudgetsAbove } from './store.ts'
import {
  afterReserving,
  afterSpending,
  type Amount,
  isNearlyUsed,
  nameOfBudget,
  nothing,
  usedOf,
} from './arithmetic.ts'
import type { RunScope } from '../scope.ts'

/**
 * Returns the budgets above these personas' briefs and locks their streams before the final read. A caller that knows
 * the streams before the transaction locks them at its start; if locks taken late conflict with others, PostgreSQL
 * repeats one of the two transactions.
 */
export async function openBudgets(scope: RunScope, personaIds: readonly number[]): Promise<Budget[]> {
  const { tx, run } = scope
  const beneath = { runId: run.id, missionId: run.missionId, organisationId: run.organisationId, personaIds }
  const found = await listBudgetsAbove(tx, beneath)
  const others = streamsOf(found).filter((stream) => stream !== `run:${run.id}`)
  for (const stream of others) await tx.lock(stream)
  return others.length === 0 ? found : listBudgetsAbove(tx, beneath)
}

export const streamsOf = (above: readonly Budget[]): Stream[] =>
  [...new Set(above.map((budget) => budgets.stream(budget)))].sort()

export const aboveOf = (all: readonly Budget[], personaId: number): Budget[] =>
  all.filter((budget) => budget.scope !== 'persona' || budget.scopeId === String(personaId))

interface About {
  briefId: string
  attemptId: string
  message: string
}

/**
 * Records changes of budgets. Changes in the run's own stream are returned, to be part of the caller's event; each
 * other stream gets one event.
 */
export async function changeBudgets(
  scope: RunScope,
  before: readonly Budget[],
  after: readonly Budget[],
  about: About,
): Promise<Change[]> {
  const { tx, run } = scope
  const changes: Change[] = []
  const elsewhere = new Map<Stream, Change[]>()
  for (const [index, budget] of before.entries()) {
    const patch = changed(budget, after[index] as Budget)
    if (patch === null) continue
    const change = updated(budgets, budget, { ...patch, updatedAt: tx.at })
    const stream = budgets.stream(budget)
    if (stream === `run:${run.id}`) changes.push(change)
    else elsewhere.set(stream, [...(elsewhere.get(stream) ?? []), change])
  }
  for (const updates of elsewhere.values())
    await record(
      tx,
      { kind: 'budget_changed', by: scope.by, level: 'verbose', ...about, runId: run.id, data: {} },
      updates,
    )
  return changes
}

function changed(before: Budget, after: Budget): Partial<Budget> | null {
  const patch: Partial<Record<keyof Budget, unknown>> = {}
  for (const name of Object.keys(after) as (keyof Budget)[]) if (after[name] !== before[name]) patch[name] = after[name]
  return Object.keys(patch).length === 0 ? null : (patch as Partial<Budget>)
}

export const spendFrom = (above: readonly Budget[], spent: Amount, from: Amount): Budget[] =>
  above.map((budget) => afterSpending(budget, spent, from))

export const reserveFrom = (above: readonly Budget[], amount: Amount): Budget[] =>
  above.map((budget) => afterReserving(budget, amount))

/** Returns the unused reservation of an ended attempt to its budgets. */
export async function giveBack(scope: RunScope, personaId: number, attempt: Attempt): Promise<Change[]> {
  const left: Amount = { tokens: attempt.reservedTokens, micros: attempt.reservedMicros }
  if (left.tokens === 0 && left.micros === 0) return []
  const above = await openBudgets(scope, [personaId])
  return changeBudgets(scope, above, spendFrom(above, nothing, left), {
    briefId: attempt.briefId,
    attemptId: attempt.id,
    message: `attempt ${attempt.fence} returns its unused reservation`,
  })
}

/** Marks budgets with four fifths of a limit spent, once for each limit. */
export function warned(after: readonly Budget[]): { after: Budget[]; warnings: Budget[] } {
  const warnings = after.filter((budget) => !budget.warned && isNearlyUsed(budget))
  return { after: after.map((budget) => (warnings.includes(budget) ? { ...budget, warned: true } : budget)), warnings }
}

export async function tellWarnings(scope: RunScope, warnings: readonly Budget[], briefId: string): Promise<void> {
  const { tx, run } = scope
  for (const budget of warnings) {
    const message = `the budget of ${nameOfBudget(budget)} is nearly used up: ${usedOf(budget)}`
    await appendEvent(tx, `run:${run.id}`, {
      kind: 'budget_warning',
      by: scope.by,
      runId: run.id,
      briefId,
      level: 'normal',
      code: 'BUDGET',
      message,
      data: { scope: budget.scope, scope_id: budget.scopeId },
    })
    await scope.notify(tx, {
      kind: 'budget_warning',
      title: message,
      summary: 'Agents are interrupted when it is used up; a higher limit lets them continue.',
      actions: [{ label: 'Show', command: 'agency budget list' }],
      runId: run.id,
      organisationId: run.organisationId,
      object: `budget:${budget.scope}:${budget.scopeId}`,
      state: `warned at ${budget.tokenLimit ?? '-'}/${budget.costLimitMicros ?? '-'}`,
    })
  }
}
