import { quotation, quotedItem, quoteLines } from '../../kernel/quotation.ts'
import { renderTemplate } from '../../kernel/template.ts'
import { oneLine } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import { describeEvidence, expectationsOf } from '../../work/evidence/contract.ts'
import type { Brief, Correction } from '../../work/briefs/contract.ts'
import type { InputSeen } from '../../work/attempts/contract.ts'
import { type Note, noteName } from '../../work/notes/contract.ts'
import type { Missing } from '../../work/briefs/branches.ts'
import { handedText } from './prompt-handed.ts'
import { inputsText } from './prompt-inputs.ts'

/** The content of a prompt that is not in its brief. */
export interface Surroundings {
  readonly notes?: readonly Note[]
  /** The work to be judged, if it is in a repository. */
  readonly judged?: Brief | null
  /** Commits that the brief's clone lacks. */
  readonly missing?: Missing
  /** The files that its agent may change, if they were agreed. */
  readonly files?: readonly string[]
  /** The goal of its run. */
  readonly goal?: string
  /** The files of other briefs that it is handed. */
  readonly handed?: readonly InputSeen[]
  /** The JSON Schema of `output` in its report. */
  readonly output?: Readonly<Record<string, unknown>> | null
}

/** Renders a prompt without secrets: an agent may write them down, and they would be sent to its provider. */
export const renderBrief = (template: string, brief: Brief, attempt: number, around: Surroundings = {}): string =>
  redact(fillIn(template, brief, attempt, around))

function fillIn(template: string, brief: Brief, attempt: number, around: Surroundings): string {
  const { notes = [], judged = null, missing = nothingMissing, goal = '', output = null } = around
  const { files = [], handed = [] } = around
  const { amendments, ...inputs } = brief.inputs
  return renderTemplate(template, {
    goal,
    objective: brief.objective,
    context: section('Context', brief.context),
    inputs: [section('Inputs', inputsText(inputs)), section('Files of other briefs', handedText(handed))]
      .filter((each) => each !== '')
      .join('\n\n'),
    amendments: section('Amendments', amendmentLines(amendments)),
    files: files.length === 0 ? '' : `Files that are yours to change: ${files.map(oneLine).join(', ')}`,
    evidence: brief.evidence
      .map((evidence) => quotedItem('', [describeEvidence(evidence), ...expectationsOf(evidence)].join(', ')))
      .join('\n'),
    corrections: section('Failures of the last attempt', brief.corrections.map(correctionLine).join('\n').trimEnd()),
    guidance: section('Decisions', brief.guidance.map(decisionLine).join('\n')),
    notes: section('Notes so far', notes.map(noteLine).join('\n')),
    rejection: section('Reason for the rework', quoteLines(brief.rejectionReason ?? '').join('\n')),
    repository: repositoryText(brief, judged, missing),
    output: output === null ? '' : `\`\`\`json\n${JSON.stringify(output)}\n\`\`\``,
    brief_id: brief.id,
    attempt: String(attempt),
  })
}

/** The output of a command may be the words of an agent: of code that it wrote. */
function correctionLine({ evidence, detail, output = '' }: Correction): string {
  const line = quotedItem(evidence, detail)
  if (output === '') return line
  const quoted = quotation('The end of its output', output).replace(/^(?=.)/gm, '  ')
  return `${line}\n\n${quoted}\n`
}

/** A question comes from an agent; its answer may come from one too. */
const decisionLine = ({ question, by, answer }: Brief['guidance'][number]): string =>
  `${quotedItem('', question)}\n${quotedItem(by, answer).replace(/^- /, '  ')}`

const section = (title: string, text: string): string => (text === '' ? '' : `## ${title}\n\n${text}`)

const amendmentLines = (amendments: unknown): string =>
  Array.isArray(amendments) ? amendments.map((each) => `- ${JSON.stringify(each)}`).join('\n') : ''

/** Describes the clone to the agent, and to a verifier also the work to be judged. */
function repositoryText(brief: Brief, judged: Brief | null, missing: Missing): string {
  const { startCommit, kind, phase } = brief
  if (startCommit === null) return ''
  const lines = ['This directory is a git clone that is yours alone.', ...(ways[kind] ?? [])]
  if (kind === 'plan' && phase !== null)
    lines.push('Read it as far as it helps and change nothing: your changes are discarded.')
  for (const before of missing.before)
    lines.push(
      `You build on ${oneLine(before.name)}, and its newest work is missing here. Begin with \`git merge ${before.commit}\`.`,
    )
  if (missing.since !== null)
    lines.push(
      `\`git merge ${missing.since}\` brings the work that others have finished since; merge it if your work must fit it.`,
    )
  if (judged !== null && judged.branchCommit !== null)
    lines.push(
      `The work to be judged is \`git diff ${judged.startCommit} ${judged.branchCommit}\`. Open every file that it changes, also those that are no output: the operator is shown the changed files for which \`checked\` has no hash and no quote.`,
    )
  return `## The repository\n\n${lines.map((line) => `- ${line}`).join('\n')}`
}

const nothingMissing: Missing = { before: [], since: null }

const ways: Partial<Record<Brief['kind'], readonly string[]>> = {
  work: [
    'Commit your work on the branch that is checked out, with the reason in the message. Uncommitted changes are committed for you.',
    'Build on the existing commits: do not rewrite them, do not push. Commit nothing below `.agency/` and no secret.',
  ],
  verify: ['Change nothing in it.'],
}

const noteLine = (note: Note): string => {
  const settled =
    note.status === 'resolved'
      ? `${note.resolutionSource}: ${note.resolution}`
      : note.status === 'escalated'
        ? 'waits for an answer'
        : 'open: resolve or escalate it before you report'
  return `${quotedItem(`${noteName(note)}${note.category === null ? '' : ` (${note.category})`}`, note.description)}\n  ${oneLine(settled)}`
}
