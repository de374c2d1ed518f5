import { renderTemplate } from '../../kernel/template.ts'
import { redact } from '../../secrets/redact.ts'
import { describeEvidence, expectationsOf } from '../../work/evidence/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { type Note, noteName } from '../../work/notes/contract.ts'
import type { Missing } from '../../work/briefs/branches.ts'
import { inputsText } from './prompt-inputs.ts'

/** What an agent is told beside its brief. */
export interface Surroundings {
  readonly notes?: readonly Note[]
  /** What it is to judge, where that is in a repository. */
  readonly judged?: Brief | null
  /** What its clone does not have. */
  readonly missing?: Missing
  /** The goal of its run. */
  readonly goal?: string
  /** The JSON Schema of `output` in its report. */
  readonly output?: Readonly<Record<string, unknown>> | null
}

/** What an agent reads may end up in what it writes, and with its provider: no secret goes along. */
export const renderBrief = (template: string, brief: Brief, attempt: number, around: Surroundings = {}): string =>
  redact(fillIn(template, brief, attempt, around))

function fillIn(template: string, brief: Brief, attempt: number, around: Surroundings): string {
  const { notes = [], judged = null, missing = nothingMissing, goal = '', output = null } = around
  const { amendments, ...inputs } = brief.inputs
  return renderTemplate(template, {
    goal,
    objective: brief.objective,
    context: section('Context', brief.context),
    inputs: section('Inputs', inputsText(inputs)),
    amendments: section('What was changed on the way', amendmentLines(amendments)),
    files: brief.files.length === 0 ? '' : `Files that are yours to change: ${brief.files.join(', ')}`,
    evidence: brief.evidence
      .map((evidence) => `- ${[describeEvidence(evidence), ...expectationsOf(evidence)].join(', ')}`)
      .join('\n'),
    corrections: section(
      'What failed last time',
      brief.corrections.map((each) => `- ${each.evidence}: ${each.detail}`).join('\n'),
    ),
    guidance: section(
      'What was decided',
      brief.guidance.map((each) => `- ${each.question}\n  ${each.by}: ${each.answer}`).join('\n'),
    ),
    notes: section('Notes so far', notes.map(noteLine).join('\n')),
    rejection: section('Why it was sent back', brief.rejectionReason ?? ''),
    repository: repositoryText(brief, judged, missing),
    output: output === null ? '' : `\`\`\`json\n${JSON.stringify(output)}\n\`\`\``,
    brief_id: brief.id,
    attempt: String(attempt),
  })
}

const section = (title: string, text: string): string => (text === '' ? '' : `## ${title}\n\n${text}`)

const amendmentLines = (amendments: unknown): string =>
  Array.isArray(amendments) ? amendments.map((each) => `- ${JSON.stringify(each)}`).join('\n') : ''

/** Where it works; who judges is told what the work is. */
function repositoryText(brief: Brief, judged: Brief | null, missing: Missing): string {
  const { startCommit, kind, phase } = brief
  if (startCommit === null) return ''
  const lines = ['This directory is a git clone that is yours alone.', ...(ways[kind] ?? [])]
  if (kind === 'plan' && phase !== null)
    lines.push('Look at it as far as it helps, and change nothing: whatever you leave in it is thrown away.')
  for (const before of missing.before)
    lines.push(
      `You build on ${before.label ?? before.key}, whose newest work you do not have. Begin with \`git merge ${before.branchCommit}\`.`,
    )
  if (missing.since !== null)
    lines.push(
      `What others have finished meanwhile is \`git merge ${missing.since}\`: where your work has to fit it, join it.`,
    )
  if (judged !== null && judged.branchCommit !== null)
    lines.push(`The work to be judged is \`git diff ${judged.startCommit} ${judged.branchCommit}\`.`)
  return `## The repository\n\n${lines.map((line) => `- ${line}`).join('\n')}`
}

const nothingMissing: Missing = { before: [], since: null }

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
