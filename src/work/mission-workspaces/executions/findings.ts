import type { Json } from '../../../kernel/json.ts'
import type { StepHandlers } from '../../run-steps/apply.ts'
import { Finding, type Report } from '../../attempts/contract.ts'

/** Returns the reported findings; if the agent could only report text, parses them from its summary. */
export function findingsOf(report: Report | null | undefined): Finding[] | null {
  if (report === null || report === undefined) return null
  if (report.findings !== undefined) return report.findings
  const json = report.summary.slice(report.summary.indexOf('{'), report.summary.lastIndexOf('}') + 1)
  try {
    const { findings } = JSON.parse(json) as { findings?: unknown }
    return Finding.array().max(500).safeParse(findings).data ?? null
  } catch {
    return null
  }
}

/** Steps in a workspace change files, which are there already; only the findings of a review are kept. */
export const executionSteps: Pick<StepHandlers, 'execute' | 'review'> = {
  execute: async () => null,
  review: async (_tx, { report }) => findingsOf(report) as Json,
}
