import { type Actor, actorName } from '../../../kernel/actor.ts'
import { refusal } from '../../../kernel/errors.ts'
import type { PlanDocument } from '../../plans/contract.ts'
import type { RunScope } from '../../scope.ts'
import type { AmendPlan, PlanAmendment, PlanChanges } from '../contract.ts'
import { refuseUnamendable } from './amendable.ts'
import { applyToPlan } from './apply.ts'
import { checkChanges } from './check.ts'
import { compareWithDocument } from './compare.ts'
import { type CurrentPlan, readCurrentPlan } from './current.ts'
import { proposedChanges, proposePlan } from './propose.ts'

/** Amends the plan of a run at once for the operator; the wish of an agent waits for the operator. */
export async function amendPlan(
  scope: RunScope,
  by: Actor,
  input: AmendPlan,
  document: PlanDocument | null,
): Promise<PlanAmendment> {
  await refuseUnamendable(scope)
  const current = await readCurrentPlan(scope)
  refuseStale(scope, current, input.base)
  if (current.briefs.size === 0)
    throw refusal('illegal_transition', `run ${scope.run.id} has no plan yet`, {
      hint: 'Its planner writes it first; until then, request changes with "agency reject <run> --reason <text>".',
    })
  const wanted = document === null ? changesIn(input) : await changesFrom(scope, current, document)
  const changes = by.kind === 'agent' ? await proposedChanges(scope, wanted) : wanted
  checkChanges(scope, current, changes)
  const amendment = amendmentOf(scope, current, changes, actorName(by), input.reason)
  return by.kind === 'agent' ? proposePlan(scope, current, amendment) : applyToPlan(scope, current, amendment)
}

const changesIn = ({ add = [], change = [], remove = [] }: AmendPlan): PlanChanges => ({ add, change, remove })

async function changesFrom(scope: RunScope, current: CurrentPlan, plan: PlanDocument): Promise<PlanChanges> {
  const { run } = scope
  if (plan.goal !== undefined && plan.goal !== run.goalAnchor)
    throw refusal('invalid_input', `the goal of the plan is not that of run ${run.id}`, {
      hint: 'A run keeps its goal: amend the run of this plan, or start one with "agency run --plan <file>".',
    })
  return compareWithDocument(scope, current, plan.briefs)
}

function amendmentOf(
  scope: RunScope,
  { version }: CurrentPlan,
  changes: PlanChanges,
  proposedBy: string,
  reason: string,
): PlanAmendment {
  const { add, change, remove } = changes
  return {
    id: scope.ids.next('amendment'),
    runId: scope.run.id,
    kind: 'plan',
    proposedBy,
    reason,
    workstream: null,
    beforePath: [],
    afterPath: [],
    acknowledgedBy: null,
    status: 'applied',
    gateId: null,
    version: version + 1,
    changes,
    touched: [...add.map(({ key }) => key), ...change.map(({ key }) => key), ...remove],
    diff: '',
    at: scope.tx.at,
  }
}

function refuseStale({ run }: RunScope, { version }: CurrentPlan, base: number): void {
  if (base === version) return
  throw refusal(
    'conflict',
    `the plan of run ${run.id} has version ${version}, and this amendment was made from ${base}`,
    {
      hint: `Compare it with "agency inspect ${run.id} --amendments", then amend again with --base ${version}.`,
      data: { version, base },
    },
  )
}
