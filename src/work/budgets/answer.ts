import type { Tx } from '../../db/port.ts'
import { record, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { budgetHold, releaseHold } from '../briefs/holds.ts'
import { findBrief, listBriefsHeldBy } from '../briefs/store.ts'
import type { Budget, BudgetScope } from './contract.ts'
import { budgets, findBudget, findBudgetRow } from './store.ts'
import { listBudgetQuestions } from './waiting-store.ts'
import { type Question, runIdOf } from '../questions/contract.ts'
import { questions } from '../questions/store.ts'
import { findRun, runs } from '../runs/store.ts'
import { endLiveAttempts } from '../attempts/end-live.ts'
import { isNearlyUsed, nameOfBudget, usedOf } from './arithmetic.ts'
import { budgetsOfHold } from './moves.ts'
import { raised, readLimit, type WantedLimit } from './read-limit.ts'
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
  if (key === 'abandon') return giveUp(scope, question, by)
  const [, held = '', scopeId = ''] = question.askedBy.split(':')
  const budget = await raiseBudget(scope, held as BudgetScope, scopeId, key === 'raise' ? null : readLimit(answer), by)
  await withdrawBudgetQuestions(scope.tx, budget, by)
  // Other runs that wait for the budget are continued by the engine, each in a transaction of its own.
  await releaseHeld(scope, budget, `the budget was raised by ${by}`)
}

async function giveUp(scope: RunScope, question: Question, by: string): Promise<void> {
  const brief = question.briefId === null ? undefined : await findBrief(scope.tx, question.briefId)
  if (brief?.status === 'blocked') return abandonBrief(scope, brief, `abandoned by ${by}`)
  await endLiveAttempts(scope, 'the run was given up')
  await endRun(scope, 'failed', `abandoned by ${by}: ${question.text}`)
}

async function raiseBudget(
  scope: RunScope,
  held: BudgetScope,
  scopeId: string,
  wanted: WantedLimit | null,
  by: string,
): Promise<Budget> {
  const { tx } = scope
  const row = await findBudgetRow(tx, held, scopeId)
  if (row === undefined) throw bug(`the budget ${held} ${scopeId} vanished`)
  await tx.lock(budgets.stream(row))
  const budget = (await findBudget(tx, held, scopeId)) as Budget
  const limits = raised(budget, wanted)
  if (limits.tokenLimit === budget.tokenLimit && limits.costLimitMicros === budget.costLimitMicros) return budget
  const after = { ...budget, ...limits }
  await record(
    tx,
    {
      kind: 'budget_set',
      by: scope.by,
      runId: scope.run.id,
      ...(held === 'brief' ? { briefId: scopeId } : {}),
      code: 'BUDGET',
      message: `${nameOfBudget(after)} was raised by ${by}: ${usedOf(after)}`,
      data: { scope: held, scope_id: scopeId },
    },
    [updated(budgets, budget, { ...limits, warned: budget.warned && isNearlyUsed(after), updatedAt: tx.at })],
  )
  return after
}

/** Continues the work of this run that the budget held. */
export async function releaseHeld(
  scope: RunScope,
  { scope: held, scopeId }: Pick<Budget, 'scope' | 'scopeId'>,
  why: string,
): Promise<void> {
  const hold = budgetHold(held)
  const found = await listBriefsHeldBy(scope.tx, scope.run.id, hold)
  const holding = await budgetsOfHold(scope, held, found)
  for (const [index, brief] of found.entries()) {
    if (holding[index]?.scopeId !== scopeId) continue
    if (brief.status === 'blocked') await unblockBrief(scope, brief, {}, why)
    else if (brief.status === 'pending')
      await touchRun(
        scope,
        {},
        { kind: 'log', code: 'RESUMED', briefId: brief.id, message: `${brief.key} continues: ${why}` },
        await releaseHold(scope.tx, brief, hold, { updatedAt: scope.tx.at }),
      )
  }
}

/** Withdraws the open questions about a budget with a higher limit, whichever run they belong to. */
export async function withdrawBudgetQuestions(
  tx: Tx,
  budget: Pick<Budget, 'scope' | 'scopeId'>,
  by: string,
): Promise<void> {
  for (const question of await listBudgetQuestions(tx, budget)) {
    const runId = runIdOf(question)
    await tx.lock(`run:${runId}`)
    const run = await findRun(tx, runId)
    if (run === undefined) throw bug(`run ${runId} vanished`)
    const open = (await listBudgetQuestions(tx, budget)).filter((question) => question.runId === runId)
    if (open.length === 0) continue
    await record(
      tx,
      {
        kind: 'question_withdrawn',
        by,
        runId,
        level: 'verbose',
        message: 'the budget was raised',
        data: { question_id: open[0]?.id },
      },
      [
        updated(runs, run, { questionsOpen: run.questionsOpen - open.length, updatedAt: tx.at }),
        ...open.map((question) => updated(questions, question, { status: 'withdrawn', answeredAt: tx.at })),
      ],
    )
  }
}
