import type { Scenario } from '../contract.ts'
import { accept, writeFile, pass, step } from './step-builders.ts'
import { fix } from './webhooks.ts'

const plan = {
  run_id: '{{inputs.run_id}}',
  goal_anchor: '{{inputs.goal_anchor}}',
  complexity: 'low',
  retry_budget_multiplier: 1,
  workstreams: [
    {
      id: 'signature-fix',
      name: 'Compare signatures in constant time',
      domain: 'backend',
      tier_path: ['t4', 't5'],
      parallel_group: 'A',
      t2_specialist: null,
      notes: `One function in ${fix.path}. Done when signatures are compared with ${fix.proof}.`,
      evidence_required: [{ kind: 'file', path: fix.path, contains: fix.proof }],
    },
  ],
  parallelism: { groups: { A: ['signature-fix'] }, sequence: ['A'] },
  self_critique_summary: '',
}

/** One function: one implementer, one verifier. Played without a model. */
export const tieredSimple: Scenario = {
  name: 'tiered-simple',
  attempts: [],
  phases: {
    t1_plan: step('reading the goal', '1 workstream', plan, 900),
    t1_critique: step('looking for risks', 'The plan stands', {
      ...plan,
      self_critique_summary: 'Signatures of another length would throw, so the comparison must check the length first.',
    }),
    t4: [writeFile(fix)],
    t5: [pass],
    t1_accept: accept('Signatures are compared in constant time.'),
  },
}
