import { bytesText, duration, plain, signText, stateOf, statusText, visible } from '../../../cli/terminal.ts'
import { viewOf } from '../../../cli/playbook-views.ts'
import type { Wire } from '../../../cli/wire.ts'
import { checkedInWarning } from '../../../kernel/checked-in.ts'
import { attemptText as attemptState } from '../../../kernel/attempt-state.ts'
import type { Artifact } from '../../artifacts/contract.ts'
import type { HeldBrief } from '../../briefs/contract.ts'
import type { Inspection } from './inspection.ts'
import { runText } from './state.ts'
import {
  artifactLine,
  boxText,
  gateLines,
  noteLines,
  placeText,
  questionLines,
  type Screen,
  verdictLines,
} from './views.ts'

/** A line of the tree; its details are built when it is opened. */
export interface TreeLine {
  readonly depth: number
  readonly text: string
  readonly open: () => string[]
  /** Present where the lines below it can be folded. */
  readonly key?: string
  readonly isFinished?: boolean
  /** A readable file, and the brief with the workspace that contains it. */
  readonly artifact?: { readonly briefId: string; readonly path: string }
}

/** Formats a run as the lines of a tree. */
export function treeLines(screen: Screen, shown: Inspection): TreeLine[] {
  const { run } = shown
  const view = viewOf(run)
  return [
    line(0, `${runText(screen, shown.state)}  ${run.id}  ${plain(run.goal_anchor)}`, () => [
      ...visible(run.goal_anchor).split('\n'),
      '',
      `mission  ${run.mission_id}`,
      `started  ${run.started_at}`,
      `summary  ${plain(run.summary ?? '–')}`,
      `held by  ${run.held_by ?? '–'}`,
    ]),
    ...(view === undefined
      ? []
      : view.levels.map((level) =>
          line(1, view.levelText(screen, shown, level), () => view.levelLines(screen, shown, level)),
        )),
    ...shown.gates.map((gate) =>
      line(
        1,
        `${statusText(screen, gate.status === 'pending' ? 'GATE: pending review' : `gate ${gate.status}`, gate.status === 'pending' ? 'waiting' : 'idle')}  ${plain(gate.gate)}`,
        () => gateLines(screen, gate),
      ),
    ),
    ...shown.questions.map((question) =>
      line(
        1,
        `${signText(screen, question.answered_at === null ? 'waiting' : 'good')} question  ${plain(question.text)}`,
        () => questionLines(screen, question),
      ),
    ),
    ...shown.briefs.flatMap((brief) => briefTree(screen, shown, brief)),
  ]
}

const finished = new Set(['done', 'verified', 'cancelled'])

const line = (depth: number, text: string, open: () => string[]): TreeLine => ({ depth, text, open })

function briefTree(screen: Screen, shown: Inspection, brief: Wire<HeldBrief>): TreeLine[] {
  const of = <Row extends { brief_id: string | null }>(rows: readonly Row[]): Row[] =>
    rows.filter((row) => row.brief_id === brief.id)
  const held = brief.held_by === null ? '' : `  held: ${plain(brief.held_by)}`
  const state = brief.held_by === null ? stateOf(brief.status) : 'waiting'
  return [
    {
      ...line(1, `${statusText(screen, brief.status, state)}  ${plain(brief.key)}  ${plain(brief.title)}${held}`, () =>
        briefDetails(brief),
      ),
      key: brief.id,
      isFinished: finished.has(brief.status),
    },
    ...of(shown.attempts).map((attempt) =>
      line(
        2,
        [
          `${signText(screen, attempt.outcome === null ? 'working' : attempt.outcome === 'ok' ? 'good' : 'bad')} attempt ${attempt.fence}`,
          attemptState(attempt),
          `${attempt.runtime}${attempt.simulated ? ' (simulated)' : ''}`,
          ...(attempt.boxed ? [] : ['not boxed']),
          ...placeText(attempt),
        ].join('  ') + took(attempt),
        () => [
          `outcome  ${attemptState(attempt)}`,
          ...(attempt.detail === null ? [] : [`detail   ${plain(attempt.detail)}`]),
          ...(attempt.contradiction === null
            ? []
            : [`its reports contradict each other: ${plain(attempt.contradiction)}`]),
          ...[checkedInWarning(attempt.checked_in) ?? []].flat(),
          ...attempt.odd.map(({ text }) => `odd      ${plain(text)}`),
          ...shown.evidence
            .filter((check) => check.attempt_id === attempt.id)
            .map((check) => `${check.passed ? '✓' : '✗'} ${check.kind}  ${plain(check.detail)}${boxText(check)}`),
          ...(attempt.report === null ? [] : visible(JSON.stringify(attempt.report, null, 2)).split('\n')),
        ],
      ),
    ),
    ...of(shown.verdicts).map((verdict) =>
      line(2, `verdict ${verdict.verdict}`, () => verdictLines(screen, shown, verdict)),
    ),
    ...of(shown.notes).map((note) =>
      line(2, `${note.note_id}  ${note.status}  ${plain(note.description)}`, () => noteLines(screen, note)),
    ),
    ...of(shown.artifacts).map((artifact) =>
      artifact.content === null ? fileLine(brief, artifact) : documentLine(artifact, artifact.content),
    ),
  ]
}

/** A document of a step is stored with the run, and its content is read from there. */
const documentLine = (artifact: Wire<Artifact>, content: string): TreeLine =>
  line(2, `${plain(artifact.name)}  v${artifact.version}`, () =>
    visible(JSON.stringify(JSON.parse(content), null, 2)).split('\n'),
  )

const fileLine = (brief: Wire<HeldBrief>, artifact: Wire<Artifact>): TreeLine => ({
  ...line(2, `${plain(artifact.name)}  v${artifact.version}  ${bytesText(artifact.bytes)}`, () => [
    artifactLine(artifact).trim(),
  ]),
  artifact: { briefId: brief.remainder_of ?? brief.verifies ?? brief.id, path: artifact.path },
})

const took = ({ started_at: from, ended_at: to }: { started_at: string | null; ended_at: string | null }): string =>
  from === null || to === null ? '' : `  ${duration(Date.parse(to) - Date.parse(from))}`

const briefDetails = (brief: Wire<HeldBrief>): string[] => [
  `id       ${brief.id}`,
  `status   ${brief.status}`,
  `limits   attempts ${brief.attempts}, crash_retries ${brief.crash_retries}/${brief.crash_limit}, retries_used ${brief.retries_used}/${brief.retry_budget}, verification_failures ${brief.verification_failures}/${brief.verification_limit}`,
  ...(brief.failure === null ? [] : [`failure  ${plain(brief.failure)}`]),
  ...(brief.rejection_reason === null ? [] : [`rejected ${plain(brief.rejection_reason)}`]),
  ...brief.guidance.map((each) => `guidance ${plain(each.question)}: ${plain(each.answer)} (${each.by})`),
  '',
  ...visible(brief.objective).split('\n'),
]
