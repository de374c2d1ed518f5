import { refusal } from '../../kernel/errors.ts'
import type { CreateRun } from '../../work/runs/contract.ts'

/** Refuses settings that this playbook ignores. */
export function checkInput({ briefs, planner, planGate, acceptance, verify }: CreateRun): void {
  const unused: readonly (readonly [boolean, string, string])[] = [
    [briefs.length > 0, 'briefs', 'T1 plans the work itself. Leave them out, or use --playbook direct.'],
    [planner, '--planner', 'T1 always plans first. Leave it out.'],
    [planGate, '--plan-gate', 'The plan always waits at the gate t1_plan. Leave it out.'],
    [
      acceptance === 'operator',
      '--acceptance operator',
      'T1 accepts the result; with --repo, the gate merge then waits for you. Leave it out.',
    ],
    [verify === 'none', '--verify none', 'T5 always judges every task. Leave it out, or use --playbook direct.'],
  ]
  for (const [isGiven, name, hint] of unused)
    if (isGiven)
      throw refusal('invalid_input', `${name} ${name === 'briefs' ? 'are' : 'is'} not for runs in tiers`, { hint })
}
