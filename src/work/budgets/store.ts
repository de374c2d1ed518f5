import { column, columns, integer, oneOf, text } from '../../db/columns.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx, Stream } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import { type Budget, BudgetScope } from './contract.ts'

export const budgets = table<Budget>('budgets', {
  key: ['scope', 'scopeId'],
  booleans: ['warned'],
  stream: (row) => streamOf(row),
})

/** A row changes in one stream only: a run's in its own, a persona's, which belongs to no organisation, in the system's. */
function streamOf({ scope, scopeId, organisationId }: Budget): Stream {
  if (scope === 'run') return `run:${scopeId}`
  return scope === 'persona' ? 'system' : `org:${organisationId as number}`
}

export const findBudget = (tx: ReadTx, scope: BudgetScope, scopeId: string): Promise<Budget | undefined> =>
  findRow(tx, budgets, scope, scopeId)

export interface Beneath {
  runId: string
  missionId: string
  organisationId: number
  personaIds: readonly number[]
}

/** Lists every budget that a brief of this run uses if one of these personas does it. */
export function listBudgetsAbove(tx: ReadTx, beneath: Beneath): Promise<Budget[]> {
  const personas = beneath.personaIds.map(() => '?').join(', ')
  return findRows(
    tx,
    budgets,
    `(scope = 'run' AND scope_id = ?) OR (scope = 'mission' AND scope_id = ?)
OR (scope = 'organisation' AND scope_id = ?)${personas === '' ? '' : ` OR (scope = 'persona' AND scope_id IN (${personas}))`}
ORDER BY scope, scope_id`,
    [beneath.runId, beneath.missionId, String(beneath.organisationId), ...beneath.personaIds.map(String)],
  )
}

/** Lists those of them with nothing left for another attempt. */
export async function listFullBudgetsAbove(tx: ReadTx, beneath: Beneath): Promise<Budget[]> {
  return (await listBudgetsAbove(tx, beneath)).filter(
    ({ tokenLimit, tokensSpent, tokensReserved, costLimitMicros, microsSpent, microsReserved }) =>
      (tokenLimit !== null && tokensSpent + tokensReserved >= tokenLimit) ||
      (costLimitMicros !== null && microsSpent + microsReserved >= costLimitMicros),
  )
}

export const listBudgets = (tx: ReadTx, scope: BudgetScope | undefined, limit: number): Promise<Budget[]> =>
  scope === undefined
    ? findRows(tx, budgets, `1 = 1 ORDER BY updated_at DESC, scope, scope_id ${boundLimit}`, [limit])
    : findRows(tx, budgets, `scope = ? ORDER BY updated_at DESC, scope_id ${boundLimit}`, [scope, limit])

/** Condition on a budget `u`: nothing is left to reserve for another attempt. */
export const isFull =
  '(u.tokens_spent + u.tokens_reserved >= u.token_limit OR u.micros_spent + u.micros_reserved >= u.cost_limit_micros)'

/** Condition on a budget `u`: it applies to the brief `b` of the run `r`. */
export const isAbove = `((u.scope = 'run' AND u.scope_id = b.run_id) OR (u.scope = 'mission' AND u.scope_id = b.mission_id)
OR (u.scope = 'organisation' AND u.scope_id = CAST(r.organisation_id AS TEXT))
OR (u.scope = 'persona' AND u.scope_id = CAST(b.persona_id AS TEXT)))`

/**
 * Condition on a budget `u` and a brief `b`: an attempt beneath the budget has not ended. It may have used up its
 * reservation, and the end of a run would throw away its finished work. An attempt of another run that waits for an
 * answer does not count, because it may wait for days.
 */
const isInUse = `EXISTS (SELECT 1 FROM attempts ua JOIN briefs ub ON ub.id = ua.brief_id JOIN runs ur ON ur.id = ua.run_id
WHERE ua.status <> 'ended' AND (ua.held_by IS NULL OR ua.run_id = b.run_id)
AND ((u.scope = 'run' AND u.scope_id = ua.run_id) OR (u.scope = 'mission' AND u.scope_id = ur.mission_id)
OR (u.scope = 'organisation' AND u.scope_id = CAST(ur.organisation_id AS TEXT))
OR (u.scope = 'persona' AND u.scope_id = CAST(ub.persona_id AS TEXT))))`

/**
 * Lists one brief of each run that only a used-up budget holds for good: no running agent will return a reservation,
 * and no question about it is open.
 */
export const listStarved = (
  tx: ReadTx,
  limit: number,
): Promise<{ briefId: string; runId: string; scope: BudgetScope }[]> =>
  starved.all(
    sqlOf(tx),
    `SELECT MIN(b.id) AS brief_id, b.run_id, MIN(u.scope) AS scope FROM briefs b JOIN runs r ON r.id = b.run_id
JOIN budgets u ON ${isAbove}
WHERE b.status = 'pending' AND b.unmet_dependencies = 0 AND b.held_by IS NULL AND r.status = 'running'
AND r.briefs_failed = 0 AND r.abandoned = 0 AND (u.tokens_spent >= u.token_limit OR u.micros_spent >= u.cost_limit_micros)
AND u.tokens_reserved = 0 AND u.micros_reserved = 0 AND NOT ${isInUse}
AND NOT EXISTS (SELECT 1 FROM questions q WHERE q.run_id = b.run_id AND q.class = 'budget' AND q.answered_at IS NULL)
GROUP BY b.run_id ORDER BY b.run_id ${boundLimit}`,
    [limit],
  )

const starved = columns({ briefId: text, runId: text, scope: oneOf(BudgetScope.options) })
const sums = columns({ tokens: integer, micros: integer })

/** Sums the use of a scope before it had a limit. */
export async function sumBefore(
  tx: ReadTx,
  scope: 'run' | 'mission',
  scopeId: string,
): Promise<{ tokens: number; micros: number }> {
  const scopeColumn = scope === 'run' ? 'run_id' : 'mission_id'
  return sums.one(
    sqlOf(tx),
    `SELECT COALESCE(SUM(input_tokens + output_tokens), 0) AS tokens, COALESCE(SUM(cost_micros), 0) AS micros
FROM spends WHERE ${scopeColumn} = ?`,
    [scopeId],
  )
}

/** Sums the reservations that running agents of a scope hold in other budgets; they return them to this budget as well. */
export const sumReserved = (
  tx: ReadTx,
  scope: BudgetScope,
  scopeId: string,
): Promise<{ tokens: number; micros: number }> =>
  sums.one(
    sqlOf(tx),
    `SELECT COALESCE(SUM(a.reserved_tokens), 0) AS tokens, COALESCE(SUM(a.reserved_micros), 0) AS micros
FROM attempts a JOIN briefs b ON b.id = a.brief_id JOIN runs r ON r.id = a.run_id
WHERE a.status <> 'ended' AND ${scopeColumns[scope]} = ?`,
    [scopeId],
  )

const scopeColumns: Record<BudgetScope, string> = {
  run: 'r.id',
  mission: 'r.mission_id',
  organisation: 'CAST(r.organisation_id AS TEXT)',
  persona: 'CAST(b.persona_id AS TEXT)',
}

/** Lists the runs with briefs that this budget has interrupted or that have an open question about it. */
export const listStoppedRuns = (tx: ReadTx, scope: BudgetScope, scopeId: string): Promise<string[]> =>
  column('run_id', text).all(
    sqlOf(tx),
    `SELECT DISTINCT b.run_id FROM briefs b JOIN runs r ON r.id = b.run_id
WHERE b.status = 'blocked' AND b.held_by = ? AND ${scopeColumns[scope]} = ?
UNION SELECT run_id FROM questions WHERE class = 'budget' AND answered_at IS NULL AND asked_by = ?`,
    [`budget:${scope}`, scopeId, `budget:${scope}:${scopeId}`],
  )
