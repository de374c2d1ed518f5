import type { BriefSpec } from '../../briefs/contract.ts'
import { peopleOf, plannedBrief } from '../../briefs/create.ts'
import type { RunScope } from '../../scope.ts'
import type { PlanAmendment } from '../contract.ts'
import type { CurrentPlan } from './current.ts'
import { diffOfPlans, type Shown } from './diff.ts'

/** Returns the diff that an amendment would make. */
export async function previewDiff(
  scope: RunScope,
  current: CurrentPlan,
  { version, changes, touched }: PlanAmendment,
): Promise<string> {
  const people = await peopleOf(scope, [])
  const shown = (spec: BriefSpec): Shown => ({ ...plannedBrief(scope, spec, '', 0, people), after: spec.after, spec })
  const after = new Map(changes.add.map((spec): [string, Shown] => [spec.key, shown(spec)]))
  for (const { key, evidence, ...fields } of changes.change) {
    const before = shownIn(current, key)
    if (before === null) continue
    const merged: Shown = { ...before, ...definedOf(fields) }
    after.set(
      key,
      evidence === undefined
        ? merged
        : { ...merged, evidence: shown({ key, objective: merged.objective, evidence, after: [] }).evidence },
    )
  }
  return diffOfPlans(
    [current.version, version],
    touched.map((key) => ({ key, before: shownIn(current, key), after: after.get(key) ?? null })),
  )
}

export const shownIn = (plan: CurrentPlan, key: string, spec?: BriefSpec): Shown | null => {
  const planned = plan.briefs.get(key)
  if (planned === undefined) return null
  return { ...planned.brief, after: planned.after, ...(spec === undefined ? {} : { spec }) }
}

const definedOf = <Values extends object>(values: Values): Partial<Shown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
