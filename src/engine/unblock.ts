import type { Brief } from '../work/briefs/contract.ts'
import { listQuestionsOfBrief } from '../work/questions/store.ts'
import { type RunScope } from '../work/scope.ts'
import { touchRun } from '../work/runs/moves.ts'
import { failBrief } from '../work/briefs/moves.ts'

/**
 * The operator gives a brief up: the run fails as soon as its agents have ended. One that is at work is not ended for
 * it; whatever it comes to, it has failed.
 */
export async function abandonBrief(scope: RunScope, brief: Brief, reason: string): Promise<void> {
  await touchRun(
    scope,
    { abandoned: true },
    { kind: 'log', level: 'normal', briefId: brief.id, message: `${brief.key} is given up` },
  )
  if (brief.status === 'blocked') return failBrief(scope, brief, reason)
  if (brief.status === 'failed') await scope.decide({ kind: 'siblings_ended' })
}

/** Somebody gave it up while an agent was at work on it. */
export async function isGivenUp(scope: RunScope, brief: Brief): Promise<boolean> {
  if (!scope.run.abandoned) return false
  const asked = await listQuestionsOfBrief(scope.tx, brief.id)
  return asked.some(({ answer, options }) =>
    options.some(({ key, label }) => key === 'abandon' && (answer === key || answer === label)),
  )
}
