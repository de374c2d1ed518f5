import { inserted, record, updated } from '../../events/change.ts'
import { runs } from '../runs/store.ts'
import type { RunScope } from '../scope.ts'
import { newBrief } from './create.ts'
import { briefs } from './store.ts'

/** Creates the brief of an agent that plans the run; its report is the plan. */
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
