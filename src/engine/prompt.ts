import { renderTemplate } from '../kernel/template.ts'
import { describeEvidence, expectationsOf } from '../work/evidence/contract.ts'
import type { Brief } from '../work/briefs/contract.ts'

export const renderBrief = (template: string, brief: Brief, attempt: number): string =>
  renderTemplate(template, {
    objective: brief.objective,
    context: brief.context === '' ? '' : `## Context\n\n${brief.context}`,
    evidence: brief.evidence
      .map((evidence) => `- ${[describeEvidence(evidence), ...expectationsOf(evidence)].join(', ')}`)
      .join('\n'),
    corrections:
      brief.corrections.length === 0
        ? ''
        : `## What failed last time\n\n${brief.corrections.map((each) => `- ${each.evidence}: ${each.detail}`).join('\n')}`,
    guidance:
      brief.guidance.length === 0
        ? ''
        : `## What was decided\n\n${brief.guidance.map((each) => `- ${each.question}\n  ${each.by}: ${each.answer}`).join('\n')}`,
    rejection: brief.rejectionReason === null ? '' : `## Why it was sent back\n\n${brief.rejectionReason}`,
    brief_id: brief.id,
    attempt: String(attempt),
  })
