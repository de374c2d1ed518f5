import { shorten } from '../../kernel/text.ts'
import type { Brief, Correction } from '../../work/briefs/contract.ts'
import type { Classified } from '../attempt/classify.ts'
import { asksSeat, faultsOfResolution, type Resolution } from '../../work/questions/resolution.contract.ts'
import { findQuestionOfResolve } from '../../work/questions/store.ts'
import type { RunScope } from '../../work/scope.ts'
import { log } from '../../work/runs/log.ts'
import { shapeOf } from './shape.ts'
import { viewFor } from './view.ts'

export interface CheckedStep {
  classified: Classified
  /** All faults of the output, not only the first. */
  faults: Correction[]
}

/** The maximum number of listed faults; more would not help the agent. */
const mostFaults = 50

/**
 * Checks that the output of a step has the schema of its phase. Unknown fields are removed, and a log entry names them.
 */
export async function checkStep(scope: RunScope, brief: Brief, classified: Classified): Promise<CheckedStep> {
  const shape = shapeOf(scope.playbook, brief)
  const { report } = classified
  if (shape === undefined || report === null || brief.kind !== 'plan' || classified.outcome === 'blocked')
    return { classified, faults: [] }
  if (report.status !== 'done')
    return wrong(classified, [`a step is done as a whole, and the report says "${report.status}"`])
  if (report.output === undefined) return wrong(classified, ['the report has no output'])
  const parsed = shape.safeParse(report.output)
  if (!parsed.success)
    return wrong(
      classified,
      parsed.error.issues.map(({ path, message }) =>
        [path.join('.'), message].filter((part) => part !== '').join(': '),
      ),
    )
  const faults = await faultsOf(scope, brief, parsed.data)
  if (faults.length > 0) return wrong(classified, faults)
  const ignored = fieldsLeftOut(report.output, parsed.data)
  for (const field of ignored.slice(0, mostFaults))
    await log(scope, { brief, message: `ignored field ${field}`, data: { field } })
  return { classified: { ...classified, report: { ...report, output: parsed.data } }, faults: [] }
}

async function faultsOf(scope: RunScope, brief: Brief, output: unknown): Promise<readonly string[]> {
  if (asksSeat(brief)) return faultsOfResolution(await findQuestionOfResolve(scope.tx, brief.id), output as Resolution)
  const view = await viewFor(scope, { kind: 'brief_reported', brief, output })
  return scope.playbook.faults?.(view, brief, output) ?? []
}

function wrong(classified: Classified, faults: readonly string[]): CheckedStep {
  const [first = 'not the requested output', ...others] = faults
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return {
    classified: { ...classified, outcome: 'bad_output', detail: `${shorten(first, 400)}${more}` },
    faults: faults.slice(0, mostFaults).map((detail) => ({ evidence: 'the output', detail: shorten(detail, 1_000) })),
  }
}

/** Returns the names of removed fields; for lists, those of any entry. */
function fieldsLeftOut(raw: unknown, kept: unknown): string[] {
  const names = new Set<string>()
  const walk = (from: unknown, to: unknown): void => {
    if (Array.isArray(from)) {
      const list: unknown[] = Array.isArray(to) ? to : []
      for (const [index, each] of from.entries()) walk(each, list[index])
    } else if (isObject(from) && isObject(to))
      for (const [name, value] of Object.entries(from)) {
        if (Object.hasOwn(to, name)) walk(value, to[name])
        else names.add(name)
      }
  }
  walk(raw, kept)
  return [...names]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
