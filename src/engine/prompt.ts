import { renderTemplate } from '../kernel/template.ts'
import { redact } from '../kernel/text.ts'
import { describeEvidence, expectationsOf } from '../work/evidence/contract.ts'
import type { Brief } from '../work/briefs/contract.ts'
import { type Note, noteName } from '../work/notes/contract.ts'

/** What an agent reads may end up in what it writes, and with its provider: no secret goes along. */
export const renderBrief = (template: string, brief: Brief, attempt: number, noted: readonly Note[] = []): string =>
  redact(fillIn(template, brief, attempt, noted))

const fillIn = (template: string, brief: Brief, attempt: number, noted: readonly Note[]): string =>
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
    notes: noted.length === 0 ? '' : `## Notes so far\n\n${noted.map(noteLine).join('\n')}`,
    rejection: brief.rejectionReason === null ? '' : `## Why it was sent back\n\n${brief.rejectionReason}`,
    brief_id: brief.id,
    attempt: String(attempt),
  })

const noteLine = (note: Note): string => {
  const settled =
    note.status === 'resolved'
      ? `${note.resolutionSource}: ${note.resolution}`
      : note.status === 'escalated'
        ? 'waits for an answer'
        : 'open: settle it or hand it up before you report'
  return `- ${noteName(note)}${note.category === null ? '' : ` (${note.category})`}: ${note.description}\n  ${settled}`
}
