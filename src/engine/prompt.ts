import { renderTemplate } from '../kernel/template.ts'
import { redact } from '../kernel/text.ts'
import { describeEvidence, expectationsOf } from '../work/evidence/contract.ts'
import type { Brief } from '../work/briefs/contract.ts'
import { type Note, noteName } from '../work/notes/contract.ts'

/** What an agent reads may end up in what it writes, and with its provider: no secret goes along. */
export const renderBrief = (
  template: string,
  brief: Brief,
  attempt: number,
  noted: readonly Note[] = [],
  judged: Brief | null = null,
): string => redact(fillIn(template, brief, attempt, noted, judged))

const fillIn = (
  template: string,
  brief: Brief,
  attempt: number,
  noted: readonly Note[],
  judged: Brief | null,
): string =>
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
    repository: repositoryText(brief, judged),
    brief_id: brief.id,
    attempt: String(attempt),
  })

/** Where it works; who judges is told what the work is. */
function repositoryText({ startCommit, kind }: Brief, judged: Brief | null): string {
  if (startCommit === null) return ''
  const lines = ['This directory is a git clone that is yours alone.', ...(ways[kind] ?? [])]
  if (judged !== null && judged.branchCommit !== null)
    lines.push(`The work to be judged is \`git diff ${judged.startCommit} ${judged.branchCommit}\`.`)
  return `## The repository\n\n${lines.map((line) => `- ${line}`).join('\n')}`
}

const ways: Partial<Record<Brief['kind'], readonly string[]>> = {
  work: [
    'Commit your work on the branch that is checked out; say why in the message. What you leave uncommitted is committed for you.',
    'Build on the commits that are there: do not rewrite them, do not push. Nothing below `.agency/` belongs into a commit, and no secret.',
  ],
  verify: ['Change nothing in it.'],
}

const noteLine = (note: Note): string => {
  const settled =
    note.status === 'resolved'
      ? `${note.resolutionSource}: ${note.resolution}`
      : note.status === 'escalated'
        ? 'waits for an answer'
        : 'open: settle it or hand it up before you report'
  return `- ${noteName(note)}${note.category === null ? '' : ` (${note.category})`}: ${note.description}\n  ${settled}`
}
