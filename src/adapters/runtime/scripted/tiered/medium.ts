import type { Scenario } from '../contract.ts'
import { accept, implementersOf, pass, step, tasksOf } from './step-builders.ts'
import { limitTasks } from './webhooks.ts'

const plan = {
  run_id: '{{inputs.run_id}}',
  goal_anchor: '{{inputs.goal_anchor}}',
  complexity: 'medium',
  retry_budget_multiplier: 1,
  workstreams: [
    {
      id: 'rate-limit',
      name: 'Rate limit',
      domain: 'backend',
      tier_path: ['t3', 't4', 't5'],
      parallel_group: 'A',
      t2_specialist: null,
      notes:
        'One domain with a known design: count, reject, answer 429. Done when requests above the limit are rejected.',
    },
  ],
  parallelism: { groups: { A: ['rate-limit'] }, sequence: ['A'] },
  self_critique_summary: '',
}

/** A goal within one domain: no design is needed, one squad divides it. Played without a model. */
export const tieredMedium: Scenario = {
  name: 'tiered-medium',
  attempts: [],
  phases: {
    t1_plan: step('reading the goal', '1 workstream', plan, 900),
    t1_critique: step('looking for risks', 'The plan stands', {
      ...plan,
      self_critique_summary: 'Senders behind one address could share a limit, so it counts by sender, not by address.',
    }),
    t3_plan: step('splitting the work', `${limitTasks.length} tasks`, { tasks: tasksOf(limitTasks) }, 600),
    ...implementersOf(limitTasks),
    t5: [pass],
    t1_accept: accept('Requests above the limit are rejected, and a test proves it.'),
  },
}
