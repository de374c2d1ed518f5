import { renderTemplate } from '../kernel/template.ts'
import { describeEvidence, type Evidence } from '../work/evidence/contract.ts'
import type { Brief } from '../work/briefs/contract.ts'

export const renderBrief = (template: string, brief: Brief, attempt: number): string =>
  renderTemplate(template, {
    objective: brief.objective,
    context: brief.context === '' ? '' : `## Context\n\n${brief.context}`,
    evidence: brief.evidence.map((evidence) => `- ${demand(evidence)}`).join('\n'),
    corrections:
      brief.corrections.length === 0
        ? ''
        : `## What failed last time\n\n${brief.corrections.map((each) => `- ${each.evidence}: ${each.detail}`).join('\n')}`,
    brief_id: brief.id,
    attempt: String(attempt),
  })

/** Everything that will be looked at: an agent cannot meet what it was not told. */
function demand(evidence: Evidence): string {
  const parts = [describeEvidence(evidence)]
  if (evidence.kind === 'command') {
    parts.push(`exit code ${evidence.expectExit}`)
    if (evidence.expectOutput !== undefined) parts.push(`prints ${JSON.stringify(evidence.expectOutput)}`)
    parts.push(`within ${evidence.timeoutSeconds} s`)
  }
  if (evidence.kind === 'file') {
    if (evidence.minBytes > 0) parts.push(`at least ${evidence.minBytes} byte${evidence.minBytes === 1 ? '' : 's'}`)
    if (evidence.contains !== undefined) parts.push(`contains ${JSON.stringify(evidence.contains)}`)
    if (evidence.sha256 !== undefined) parts.push(`sha256 ${evidence.sha256}`)
  }
  if (evidence.kind === 'artifact' && evidence.path === undefined) parts.push('at least one is reported')
  return parts.join(', ')
}
