import { record } from '../../events/change.ts'
import type { Brief } from '../briefs/contract.ts'
import { addHold, budgetHold, isHeld } from '../briefs/holds.ts'
import { findBrief } from '../briefs/store.ts'
import { askAboutBudget } from '../questions/ask.ts'
import type { RunScope } from '../scope.ts'
import { releaseHeld } from './answer.ts'
import { describeUse, isUsedUp, type Refused } from './arithmetic.ts'
import { budgets, findBudget, findBudgetRow } from './store.ts'
import { findBudgetQuestion, type Waiting } from './waiting-store.ts'

/** Holds a brief that lacks a budget before it starts; the playbook decides whether a question is asked. */
export async function holdForBudget(scope: RunScope, brief: Brief, { by, reason }: Refused): Promise<void> {
  await record(
    scope.tx,
    {
      kind: 'log',
      by: scope.by,
      runId: scope.run.id,
      briefId: brief.id,
      code: 'BUDGET',
      message: `${brief.key} waits: ${reason}`,
    },
    await addHold(scope.tx, brief, budgetHold(by), { updatedAt: scope.tx.at }),
  )
  const held = (await findBrief(scope.tx, brief.id)) ?? brief
  await scope.decide({ kind: 'brief_blocked', brief: held, class: 'budget', reason })
}

/**
 * Takes the next step for a brief that lacks a budget: its run decides whether to wait; and if it waits while no
 * question about the budget is open, it continues, or the question is asked again because it ended with another run.
 */
export async function continueWaiting(scope: RunScope, waiting: Waiting): Promise<void> {
  const { tx, run } = scope
  const brief = await findBrief(tx, waiting.briefId)
  const row = await findBudgetRow(tx, waiting.scope, waiting.scopeId)
  if (brief === undefined || row === undefined || run.endedAt !== null) return
  await tx.lock(budgets.stream(row))
  const budget = await findBudget(tx, waiting.scope, waiting.scopeId)
  if (budget === undefined) return
  const refused = { by: budget.scope, reason: describeUse(budget) }
  if (!waiting.isHeld) {
    const isReady = brief.status === 'pending' && brief.holdCount === 0 && run.status === 'running'
    if (isReady && isUsedUp(budget)) await holdForBudget(scope, brief, refused)
    return
  }
  if (!['pending', 'blocked'].includes(brief.status) || !(await isHeld(tx, brief, budgetHold(budget.scope)))) return
  if ((await findBudgetQuestion(tx, budget)) !== undefined) return
  if (waiting.hasRoom) await releaseHeld(scope, budget, 'the budget has room again')
  else if (isUsedUp(budget)) await askAboutBudget(scope, brief)
}
