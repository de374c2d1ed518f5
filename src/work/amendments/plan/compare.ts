import { isDeepStrictEqual } from 'node:util'

import { refusal } from '../../../kernel/errors.ts'
import type { Brief, BriefSpec } from '../../briefs/contract.ts'
import { peopleOf, plannedBrief } from '../../briefs/create.ts'
import { findBudgetRow } from '../../budgets/store.ts'
import { microsOf } from '../../budgets/limits.ts'
import type { Run } from '../../runs/contract.ts'
import type { RunScope } from '../../scope.ts'
import type { BriefChange, PlanChanges } from '../contract.ts'
import { type CurrentPlan, hasBegun, type Planned } from './current.ts'

/** Returns the changes that make the plan of a run the same as a document. */
export async function compareWithDocument(
  scope: RunScope,
  current: CurrentPlan,
  specs: readonly BriefSpec[],
): Promise<PlanChanges> {
  const people = await peopleOf(scope, specs)
  const changes: PlanChanges = { add: [], change: [], remove: [] }
  const keys = new Set(specs.map(({ key }) => key))
  for (const spec of specs) {
    const known = current.briefs.get(spec.key)
    if (known === undefined) {
      changes.add.push(spec)
      continue
    }
    const wanted = plannedBrief(scope, spec, known.brief.id, 0, people)
    await refuseFixed(scope, known.brief, spec, wanted)
    const change = changeOf(scope.run, current, known, spec, wanted)
    if (Object.keys(change).length > 1) changes.change.push(change)
  }
  changes.remove = [...current.briefs.keys()].filter((key) => !keys.has(key))
  return changes
}

function changeOf(
  { configuration }: Run,
  current: CurrentPlan,
  { brief, after }: Planned,
  spec: BriefSpec,
  wanted: Brief,
): BriefChange {
  const isSplit = current.remainders.has(brief.key)
  return {
    key: brief.key,
    ...(wanted.title === brief.title ? {} : { title: wanted.title }),
    ...(wanted.objective === brief.objective ? {} : { objective: wanted.objective }),
    // A brief that was split keeps a part of its evidence, and a remark in its context.
    ...(wanted.context === brief.context || (isSplit && brief.context.startsWith(wanted.context))
      ? {}
      : { context: wanted.context }),
    ...(isSplit || isDeepStrictEqual(wanted.evidence, brief.evidence)
      ? {}
      : { evidence: spec.evidence ?? (configuration.planner ? [] : configuration.evidence) }),
    ...(isDeepStrictEqual(new Set(spec.after), new Set(after)) ? {} : { after: spec.after }),
  }
}

/** Refuses values that an amendment cannot change: a plan must not seem to apply that does not. */
async function refuseFixed({ tx }: RunScope, brief: Brief, spec: BriefSpec, wanted: Brief): Promise<void> {
  const { tokenBudget: tokens, costLimit: usd } = spec
  // The limit of a brief that has begun may have been raised by an answer.
  const isLimited = (tokens !== undefined || usd !== undefined) && !hasBegun(brief)
  const budget = isLimited ? await findBudgetRow(tx, 'brief', brief.id) : undefined
  const differing = [
    ...(wanted.personaId === brief.personaId ? [] : ['persona']),
    ...(wanted.verifierId === brief.verifierId ? [] : ['verifier']),
    ...(wanted.runtime === brief.runtime ? [] : ['runtime']),
    ...(isDeepStrictEqual(wanted.runtimeOptions, brief.runtimeOptions) ? [] : ['runtime_options']),
    ...(spec.verify === undefined || spec.verify === brief.verify ? [] : ['verify']),
    ...(spec.retryBudget === undefined || spec.retryBudget === brief.retryBudget ? [] : ['retry_budget']),
    ...(spec.verificationLimit === undefined || spec.verificationLimit === brief.verificationLimit
      ? []
      : ['verification_limit']),
    ...(!isLimited || tokens === undefined || tokens === budget?.tokenLimit ? [] : ['token_budget']),
    ...(!isLimited || usd === undefined || microsOf(usd) === budget?.costLimitMicros ? [] : ['cost_limit']),
  ]
  if (differing.length === 0) return
  throw refusal('invalid_input', `brief "${brief.key}": an amendment cannot change ${differing.join(', ')}`, {
    hint: hasBegun(brief)
      ? 'It has begun: leave these values as they were.'
      : 'Leave these values as they were, or replace the brief by one with another key.',
    data: { key: brief.key, fields: differing },
  })
}
