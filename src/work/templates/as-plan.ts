import { PlanDocument } from '../plans/contract.ts'
import type { TemplateDocument } from './contract.ts'

/** Returns a template as a plan without briefs: what it starts is found, and trusted, in the same way. */
export function planOf({
  title: _title,
  description: _about,
  ask: _ask,
  goal,
  ...run
}: TemplateDocument): PlanDocument {
  return PlanDocument.parse({ ...run, ...(goal === '' ? {} : { goal }) })
}
