import { record, updated } from '../../events/change.ts'
import { bug, refusal } from '../../kernel/errors.ts'
import type { Brief } from '../briefs/contract.ts'
import { briefs, findBrief, listBriefsHeldBy } from '../briefs/store.ts'
import type { Budget, BudgetScope } from './contract.ts'
import { budgets, findBudget } from './store.ts'
import type { Question } from '../questions/contract.ts'
import { listWaitingOfRun, questions } from '../questions/store.ts'
import { endLiveAttempts } from '../attempts/end-live.ts'
import { isNearlyUsed, nameOfBudget, usedOf } from './arithmetic.ts'
import type { RunScope } from '../scope.ts'
import { abandonBrief, unblockBrief } from '../briefs/unblock.ts'
import { touchRun } from '../runs/moves.ts'
import { endRun } from '../runs/end.ts'

/** Raises the limit that was reached and continues the held work, or gives the work up. */
export async function goOnAfterBudget(
  scope: RunScope,
  question: Question,
  key: string | null,
  answer: string,
  by: string,
): Promise<void> {
  const [, held = '', scopeId = ''] = question.askedBy.split(':')
  if (key === 'abandon') return giveUp(scope, question, by)
  const wanted = key === 'raise' ? null : limitIn(answer)
  if (held === 'brief') return raiseOwn(scope, scopeId, wanted, by)
  await raiseBudget(scope, held as BudgetScope, scopeId, wanted, by)
  await releaseHeld(scope, held as BudgetScope, by)
}

async function giveUp(scope: RunScope, question: Question, by: string): Promise<void> {
  const brief = question.briefId === null ? undefined : await findBrief(scope.tx, question.briefId)
  if (brief?.status === 'blocked') return abandonBrief(scope, brief, `abandoned by ${by}`)
  await endLiveAttempts(scope, 'the run was given up')
  await endRun(scope, 'failed', `abandoned by ${by}: ${question.text}`)
}

interface Wanted {
  tokens?: number
  micros?: number
  /** A number without a unit: it applies to the kind that is limited. */
  bare?: number
}

/** Reads `5000`, `5000 tokens`, `$2.50` or `2.50 usd`, also within other words. */
function limitIn(answer: string): Wanted {
  const found = /(\$)?\s*(\d[\d,_]*(?:\.\d+)?)\s*(usd|dollars?|\$|tokens?)?/i.exec(answer)
  const value = Number((found?.[2] ?? '').replaceAll(/[,_]/g, ''))
  if (found === null || !(value > 0) || value > 1e12)
    throw refusal('invalid_input', `"${answer.slice(0, 100)}" is no limit`, {
      hint: 'Answer raise, abandon, a number of tokens such as 50000, or an amount such as $2.50.',
    })
  if (found[1] !== undefined || /usd|dollar|\$/i.test(found[3] ?? '')) return { micros: Math.ceil(value * 1e6) }
  return found[3] === undefined ? { bare: value } : { tokens: Math.floor(value) }
}

interface Limits {
  tokens: { limit: number | null; used: number }
  micros: { limit: number | null; used: number }
}

/** Doubles a used-up limit; a limit that the answer names must exceed the amount already spent. */
function raised({ tokens, micros }: Limits, wanted: Wanted | null): { tokens: number | null; micros: number | null } {
  const isTokens = tokens.limit !== null
  const named =
    wanted?.bare === undefined
      ? wanted
      : isTokens
        ? { tokens: Math.floor(wanted.bare) }
        : { micros: Math.ceil(wanted.bare * 1e6) }
  const next = ({ limit, used }: { limit: number | null; used: number }, asked: number | undefined): number | null => {
    if (asked !== undefined && asked <= used)
      throw refusal('invalid_input', 'the limit must be higher than the amount already spent', {
        data: { spent: used, limit: asked },
      })
    if (asked !== undefined || limit === null) return asked ?? limit
    return used >= limit || wanted === null ? Math.max(limit * 2, used + limit) : limit
  }
  return { tokens: next(tokens, named?.tokens), micros: next(micros, named?.micros) }
}

async function raiseOwn(scope: RunScope, briefId: string, wanted: Wanted | null, by: string): Promise<void> {
  const brief = await findBrief(scope.tx, briefId)
  if (brief === undefined) throw bug(`brief ${briefId} vanished`)
  const { tokens, micros } = raised(
    {
      tokens: { limit: brief.tokenBudget, used: brief.tokensUsed },
      micros: { limit: brief.costLimitMicros, used: brief.costMicros },
    },
    wanted,
  )
  const patch: Partial<Brief> = { tokenBudget: tokens, costLimitMicros: micros }
  if (brief.status === 'blocked') return unblockBrief(scope, brief, patch, `its budget was raised by ${by}`)
  await record(
    scope.tx,
    {
      kind: 'budget_set',
      by: scope.by,
      runId: scope.run.id,
      briefId,
      code: 'BUDGET',
      message: `the budget of ${brief.key} was raised by ${by}`,
    },
    [updated(briefs, brief, { ...patch, heldBy: brief.heldBy === 'budget:brief' ? null : brief.heldBy })],
  )
}

async function raiseBudget(
  scope: RunScope,
  held: BudgetScope,
  scopeId: string,
  wanted: Wanted | null,
  by: string,
): Promise<void> {
  const { tx } = scope
  const seen = await findBudget(tx, held, scopeId)
  if (seen === undefined) throw bug(`the budget ${held} ${scopeId} vanished`)
  await tx.lock(budgets.stream(seen))
  const budget = (await findBudget(tx, held, scopeId)) as Budget
  const { tokens, micros } = raised(
    {
      tokens: { limit: budget.tokenLimit, used: budget.tokensSpent },
      micros: { limit: budget.costLimitMicros, used: budget.microsSpent },
    },
    wanted,
  )
  const limits = { tokenLimit: tokens, costLimitMicros: micros }
  const after = { ...budget, ...limits }
  await record(
    tx,
    {
      kind: 'budget_set',
      by: scope.by,
      runId: scope.run.id,
      code: 'BUDGET',
      message: `the budget of ${nameOfBudget(after)} was raised by ${by}: ${usedOf(after)}`,
      data: { scope: held, scope_id: scopeId },
    },
    [updated(budgets, budget, { ...limits, warned: budget.warned && isNearlyUsed(after), updatedAt: tx.at })],
  )
}

/** Continues the work of this run that the budget held, and withdraws the questions about it. */
export async function releaseHeld(scope: RunScope, held: BudgetScope, by: string): Promise<void> {
  for (const brief of await listBriefsHeldBy(scope.tx, scope.run.id, `budget:${held}`))
    if (brief.status === 'blocked') await unblockBrief(scope, brief, {}, `the budget was raised by ${by}`)
  for (const question of await listWaitingOfRun(scope.tx, scope.run.id)) {
    if (question.class !== 'budget' || !question.askedBy.startsWith(`budget:${held}:`)) continue
    await touchRun(
      scope,
      { questionsOpen: scope.run.questionsOpen - 1 },
      { kind: 'question_withdrawn', message: 'the budget was raised', data: { question_id: question.id } },
      [updated(questions, question, { status: 'withdrawn', answeredAt: scope.tx.at })],
    )
  }
}
