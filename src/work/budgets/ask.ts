import { record, updated } from '../../events/change.ts'
import type { Brief } from '../briefs/contract.ts'
import { briefs, findBrief } from '../briefs/store.ts'
import type { BudgetScope } from './contract.ts'
import { listBudgetsAbove } from './store.ts'
import { describeUse } from './arithmetic.ts'
import type { RunScope } from '../scope.ts'

/** Lets the playbook decide about a brief that waits for a budget to which no agent will return a reservation. */
export async function askForBudget(scope: RunScope, briefId: string, by: BudgetScope): Promise<void> {
  const { tx, run } = scope
  const brief = await findBrief(tx, briefId)
  if (brief === undefined || brief.status !== 'pending' || run.status !== 'running') return
  const beneath = {
    runId: run.id,
    missionId: run.missionId,
    organisationId: run.organisationId,
    personaIds: [brief.personaId],
  }
  const budget = (await listBudgetsAbove(tx, beneath)).find((each) => each.scope === by)
  if (budget === undefined) return
  const held = { ...brief, heldBy: `budget:${by}` }
  await scope.decide({ kind: 'brief_blocked', brief: held, class: 'budget', reason: describeUse(budget) })
}

/** Holds a brief with a used-up limit of its own before it starts, after a verdict or a gate has sent it back. */
export async function holdForOwnBudget(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  const held = { ...brief, heldBy: 'budget:brief' }
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
    [updated(briefs, brief, { heldBy: held.heldBy, updatedAt: scope.tx.at })],
  )
  await scope.decide({ kind: 'brief_blocked', brief: held, class: 'budget', reason })
}
