import { inserted, record, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { findAttempt } from '../attempts/store.ts'
import { runs } from '../runs/store.ts'
import type { RunScope } from '../scope.ts'
import { createBriefs, newBrief } from './create.ts'
import { closeBrief } from './moves.ts'
import { sendBack } from './send-back.ts'
import { briefs, findPlanner, listLastBriefs } from './store.ts'

export async function createPlanner(scope: RunScope, objective: string): Promise<void> {
  const { run, tx } = scope
  const brief = newBrief(scope, {
    id: scope.ids.next('brief'),
    key: 'plan:1',
    number: 0,
    kind: 'plan',
    title: 'Plan the work',
    objective,
  })
  const open = { briefsOpen: run.briefsOpen + 1 }
  await record(
    tx,
    {
      kind: 'brief_created',
      by: scope.by,
      runId: run.id,
      briefId: brief.id,
      level: 'verbose',
      message: 'plan the work first',
      data: { to: 'pending' },
    },
    [inserted(briefs, brief), updated(runs, run, open)],
  )
  scope.run = { ...run, ...open }
}

async function planOf(scope: RunScope) {
  const planner = await findPlanner(scope.tx, scope.run.id)
  if (planner === undefined) return null
  const attempt = planner.attemptId === null ? undefined : await findAttempt(scope.tx, planner.attemptId)
  return { planner, plan: attempt?.report?.plan ?? [] }
}

export async function withPlan<Summary extends { produced: string }>(
  scope: RunScope,
  summary: Summary,
): Promise<Summary> {
  const planned = await planOf(scope)
  if (planned === null) return summary
  const lines = planned.plan
    .slice(0, 50)
    .map((brief) => `- ${brief.key}: ${shorten(brief.title ?? brief.objective, 120)}`)
  const more = planned.plan.length - lines.length
  const produced = [`A plan of ${planned.plan.length} briefs:`, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])]
  return { ...summary, produced: produced.join('\n') }
}

export async function adoptPlan(scope: RunScope): Promise<void> {
  const planned = await planOf(scope)
  if (planned === null) throw bug(`run ${scope.run.id} has no plan to adopt`)
  await createBriefs(scope, planned.plan)
  await closeBrief(scope, planned.planner)
}

export async function replan(scope: RunScope, reason: string): Promise<void> {
  const planned = await planOf(scope)
  if (planned === null) throw bug(`run ${scope.run.id} has no planner that could plan again`)
  await sendBack(scope, planned.planner, { reason, class: 'rejected' })
}

export async function reworkResult(scope: RunScope, reason: string): Promise<void> {
  for (const brief of await listLastBriefs(scope.tx, scope.run.id))
    await sendBack(scope, brief, { reason, class: 'rejected' })
}
