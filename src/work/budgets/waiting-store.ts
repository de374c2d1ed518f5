import { columns, flag, oneOf, text } from '../../db/columns.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRows } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Question } from '../questions/contract.ts'
import { questions } from '../questions/store.ts'
import { BudgetScope } from './contract.ts'
import { isAbove, isOwn, roomFlag } from './store.ts'

/** The name of a budget in the question about it. */
export const questionKey = ({ scope, scopeId }: { scope: BudgetScope; scopeId: string }): string =>
  `budget:${scope}:${scopeId}`

const key = "'budget:' || u.scope || ':' || u.scope_id"

const isAsked = `EXISTS (SELECT 1 FROM questions q WHERE q.answered_at IS NULL AND q.class = 'budget' AND q.asked_by = ${key})`

/** Condition on a budget `u`: everything is spent. */
const isUsedUp = '(u.tokens_spent >= u.token_limit OR u.micros_spent >= u.cost_limit_micros)'

/**
 * Condition on a budget `u` and a brief `b`: something beneath the budget is at work. An attempt may have used up its
 * reservation, and the end of a run would throw away its finished work. An attempt of another run that waits for an
 * answer does not count, because it may wait for days.
 */
const isInUse = `(EXISTS (SELECT 1 FROM reservations v WHERE v.scope = u.scope AND v.scope_id = u.scope_id AND (v.tokens > 0 OR v.micros > 0))
OR EXISTS (SELECT 1 FROM attempts ua JOIN briefs ub ON ub.id = ua.brief_id JOIN runs ur ON ur.id = ua.run_id
WHERE ua.status <> 'ended' AND (ua.held_by IS NULL OR ua.run_id = b.run_id)
AND ${isAbove('ub', 'ur')}))`

/** Condition on a brief `h` and a budget `u` above it or of its own: the brief waits for it, held or interrupted. */
const isWaiting = (h: string): string =>
  `(${h}.status IN ('pending', 'blocked') AND ${h}.hold_count > 0 AND EXISTS (SELECT 1 FROM brief_holds o
WHERE o.run_id = ${h}.run_id AND o.brief_id = ${h}.id AND o.kind = 'budget' AND o.subject = u.scope))`

/** Condition on a brief `b` of the run `r`: no failure in the run keeps it from starting. */
const mayStart = '(r.briefs_failed = 0 OR b.starts_after_failure = 1) AND r.abandoned = 0'

/** A brief that waits for a budget, and the next step. */
export interface Waiting {
  briefId: string
  runId: string
  scope: BudgetScope
  scopeId: string
  /** Its run has decided to wait for the budget, and the question is answered or withdrawn. */
  isHeld: boolean
  /** There is room again. */
  hasRoom: boolean
}

/**
 * Lists, for each run and budget, one brief about which something is to be done: it only lacks a budget that is used up
 * and to which no agent will return a reservation; or it is held by a budget about which no question is open.
 */
export const listWaiting = (tx: ReadTx, limit: number): Promise<Waiting[]> =>
  waiting.all(
    sqlOf(tx),
    `SELECT * FROM (SELECT MIN(b.id) AS brief_id, b.run_id, u.scope, u.scope_id, 0 AS is_held, 0 AS has_room
FROM briefs b JOIN runs r ON r.id = b.run_id JOIN budgets u ON ${isAbove('b', 'r')}
WHERE NOT ${isOwn('b')} AND b.status = 'pending' AND b.unmet_dependencies = 0 AND b.hold_count = 0 AND r.status = 'running'
AND ${mayStart} AND ${isUsedUp} AND NOT ${isInUse}
AND NOT EXISTS (SELECT 1 FROM briefs h WHERE h.run_id = b.run_id AND ${isWaiting('h')} AND ${isAbove('h', 'r')})
GROUP BY b.run_id, u.scope, u.scope_id
UNION ALL SELECT MIN(b.id) AS brief_id, b.run_id, u.scope, u.scope_id, 1 AS is_held, MIN(${roomFlag}) AS has_room
FROM brief_holds o JOIN briefs b ON b.id = o.brief_id JOIN runs r ON r.id = b.run_id
JOIN budgets u ON u.scope = o.subject AND ${isAbove('b', 'r')}
WHERE o.kind = 'budget' AND b.status IN ('pending', 'blocked') AND r.ended_at IS NULL AND NOT ${isAsked}
AND (${roomFlag} = 1 OR (${isUsedUp} AND r.status = 'running' AND ${mayStart}))
GROUP BY b.run_id, u.scope, u.scope_id) w ORDER BY run_id, scope ${boundLimit}`,
    [limit],
  )

const waiting = columns({
  briefId: text,
  runId: text,
  scope: oneOf(BudgetScope.options),
  scopeId: text,
  isHeld: flag,
  hasRoom: flag,
})

/** Returns the open question about a budget. Stores of earlier releases may have several; all are closed together. */
export const listBudgetQuestions = (tx: ReadTx, budget: { scope: BudgetScope; scopeId: string }): Promise<Question[]> =>
  findRows(tx, questions, "answered_at IS NULL AND class = 'budget' AND asked_by = ? ORDER BY created_at, id", [
    questionKey(budget),
  ])

export const findBudgetQuestion = async (
  tx: ReadTx,
  budget: { scope: BudgetScope; scopeId: string },
): Promise<Question | undefined> => (await listBudgetQuestions(tx, budget))[0]

/** Lists the runs that wait for the answer to a question about a budget, oldest first. */
export const listRunsWaitingFor = (
  tx: ReadTx,
  { scope, scopeId }: { scope: BudgetScope; scopeId: string },
): Promise<{ runId: string; goal: string }[]> =>
  runsWaiting.all(
    sqlOf(tx),
    `SELECT r.id AS run_id, r.goal_anchor AS goal FROM runs r JOIN budgets u ON u.scope = ? AND u.scope_id = ?
WHERE r.ended_at IS NULL AND EXISTS (SELECT 1 FROM briefs b WHERE b.run_id = r.id AND ${isWaiting('b')} AND ${isAbove('b', 'r')})
ORDER BY r.started_at, r.id`,
    [scope, scopeId],
  )

const runsWaiting = columns({ runId: text, goal: text })
