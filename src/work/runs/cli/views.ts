import { ago, bold, bytesText, plain, type State, statusText, type Terminal, visible } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { nameAndRole, roleAndKey } from '../../../kernel/agent-name.ts'
import { checkedInText, ranOutsideBox } from '../../../kernel/checked-in.ts'
import { checkedText } from '../../../kernel/checked.ts'
import { pathText } from '../../amendments/cli.ts'
import type { Amendment } from '../../amendments/contract.ts'
import type { Artifact } from '../../artifacts/contract.ts'
import type { Attempt } from '../../attempts/contract.ts'
import type { Check } from '../../evidence/contract.ts'
import type { GateView } from '../../gates/contract.ts'
import type { NoteView } from '../../notes/contract.ts'
import { inSets } from '../../questions/cli.ts'
import type { Question } from '../../questions/contract.ts'
import type { Verdict } from '../../verdicts/contract.ts'
import type { Escalation, Inspection } from './inspection.ts'

/** A terminal with a clock. */
export type Screen = Terminal & { nowMs(): number }

/** The parts of a run, as lines and as the value that --json prints under the same name. */
export const views = {
  gates: {
    of: (run: Inspection) => run.gates,
    lines: (screen: Screen, run: Inspection) => each('gates', run.gates, (gate) => gateLines(screen, gate)),
  },
  questions: {
    of: (run: Inspection) => run.questions,
    lines: (screen: Screen, run: Inspection) =>
      each('questions', inSets(run.questions), ({ question, head }) => [
        ...(head === null ? [] : [head]),
        ...questionLines(screen, question),
      ]),
  },
  escalations: {
    of: (run: Inspection) => [
      ...(run.escalations ?? []),
      ...run.questions.map(({ id, text, status, hops }) => ({ question_id: id, text, status, hops })),
    ],
    lines: (screen: Screen, run: Inspection) =>
      each('escalations', [...(run.escalations ?? []), ...run.questions], (one) =>
        'hops' in one ? hopLines(screen, one) : [escalationLine(screen, run, one)],
      ),
  },
  verdicts: {
    of: (run: Inspection) => run.verdicts,
    lines: (screen: Screen, run: Inspection) =>
      each('verdicts', run.verdicts, (verdict) => verdictLines(screen, run, verdict)),
  },
  notes: {
    of: (run: Inspection) => run.notes,
    lines: (screen: Screen, run: Inspection) => each('notes', run.notes, (note) => noteLines(screen, note)),
  },
  amendments: {
    of: (run: Inspection) => run.amendments,
    lines: (screen: Screen, run: Inspection) =>
      each('amendments', run.amendments, (amendment) => amendmentLines(screen, amendment)),
  },
  artifacts: {
    of: (run: Inspection) => run.artifacts,
    lines: (_: Screen, run: Inspection) => each('artifacts', run.artifacts, (artifact) => [artifactLine(artifact)]),
  },
} as const
export type View = keyof typeof views
export const viewNames = Object.keys(views) as View[]

const each = <Item>(name: View, items: readonly Item[], lines: (item: Item) => string[]): string[] =>
  items.length === 0 ? [`no ${name}`] : items.flatMap(lines)

const gateStates: Record<string, State> = { pending: 'waiting', approved: 'good', rejected: 'bad', expired: 'bad' }

export function gateLines(screen: Screen, gate: Wire<GateView>): string[] {
  const { summary } = gate
  return [
    [
      bold(screen, gate.id),
      plain(gate.gate),
      statusText(screen, gate.status, gateStates[gate.status]),
      `since ${ago(gate.pending_since, screen.nowMs())}`,
      ...(gate.boundary === 'run' ? [] : [plain(gate.boundary)]),
      ...(gate.approver === 'operator' ? [] : [`for ${plain(gate.approver)} to decide`]),
      ...(gate.timeout_minutes === null || gate.status !== 'pending' ? [] : [`within ${gate.timeout_minutes} m`]),
    ].join('  '),
    ...named('Produced', summary.produced),
    ...named('Next', summary.next),
    ...named('Anomalies', summary.anomalies.join('\n')),
    ...named('Amendments', (summary.amendments ?? []).join('\n')),
    ...(gate.approvals ?? []).flatMap((approval) => named('Approved', `${approval.by}: ${approval.note ?? '–'}`)),
    ...(gate.by === null ? [] : named('Decided', `${gate.by}${reasonOf(gate)}`)),
  ]
}

const reasonOf = (gate: Wire<GateView>): string => {
  const text = gate.reason ?? gate.note
  return text === null ? '' : `: ${text}`
}

/** Formats a name and its text; further lines of the text stand below the first. */
export function named(name: string, text: string): string[] {
  const lines = visible(text).trimEnd().split('\n')
  return (text.trim() === '' ? ['–'] : lines).map((line, index) => `  ${(index === 0 ? name : '').padEnd(10)}  ${line}`)
}

export function questionLines(screen: Screen, question: Wire<Question>): string[] {
  const isPending = question.answered_at === null
  const options = question.options.map(
    ({ key, label }) => `${key}: ${label}${key === question.recommendation ? ' (recommended)' : ''}`,
  )
  return [
    [
      bold(screen, question.id),
      statusText(screen, question.status, isPending ? 'waiting' : question.status === 'answered' ? 'good' : 'idle'),
      question.kind,
      ...(question.risk === 'medium' ? [] : [`risk ${question.risk}`]),
      ago(question.created_at, screen.nowMs()),
    ].join('  '),
    ...named('Question', question.text),
    ...(question.context === '' ? [] : named('Context', question.context)),
    ...(isPending && options.length > 0 ? named('Options', options.join('\n')) : []),
    ...(question.answer === null ? [] : named('Answer', `${question.answer} (${question.answered_by})`)),
  ]
}

/** Formats the hops of a question, always upwards. */
const hopLines = (screen: Screen, question: Wire<Question>): string[] => [
  `${bold(screen, question.id)}  ${plain(question.text)}`,
  ...question.hops.map((hop) => `  ${hop.rank}  ${plain(hop.from)} → ${plain(hop.to)}${skippedText(hop)}`),
]

const skippedText = ({ skipped }: Wire<Question>['hops'][number]): string =>
  skipped === undefined ? '' : `  skipped (${skipped.replace('_', ' ')})`

const escalationLine = (
  screen: Screen,
  run: Inspection,
  { at, from, to, rank, class: cause, brief_id: id }: Escalation,
): string =>
  [
    `${rank}  ${bold(screen, `${plain(from)} → ${plain(to)}`)}`,
    plain(cause),
    plain(run.briefs.find((brief) => brief.id === id)?.key ?? ''),
    ago(at, screen.nowMs()),
  ]
    .filter(Boolean)
    .join('  ')

const amendmentLines = (screen: Screen, amendment: Wire<Amendment>): string[] => [
  [
    ...(amendment.workstream === null
      ? [bold(screen, 'plan'), `version ${amendment.version}`]
      : [
          bold(screen, plain(amendment.workstream)),
          `${pathText(amendment.before_path)} becomes ${pathText(amendment.after_path)}`,
        ]),
    `by ${plain(amendment.proposed_by)}`,
    amendmentState(amendment),
    ago(amendment.at, screen.nowMs()),
  ].join('  '),
  ...named('Reason', amendment.reason),
  ...(amendment.diff === null ? [] : named('Changes', amendment.diff)),
]

function amendmentState({ kind, status, gate_id, acknowledged_by }: Wire<Amendment>): string {
  if (status === 'proposed') return `waits for you at ${gate_id}`
  if (status === 'rejected') return 'not made'
  if (kind === 'plan') return 'applied'
  return acknowledged_by === null ? 'not acknowledged yet' : `acknowledged by ${plain(acknowledged_by)}`
}

export const verdictStates: Record<string, State> = { pass: 'good', partial: 'waiting', fail: 'bad' }

export function verdictLines(screen: Screen, run: Inspection, verdict: Wire<Verdict>): string[] {
  const brief = run.briefs.find(({ id }) => id === verdict.brief_id)
  const key = brief?.key ?? verdict.brief_id
  const by = (personaId: number, kind: 'work' | 'plan' | 'verify'): string => {
    const persona = run.personas.find((one) => one.persona_id === personaId)
    return plain(persona === undefined ? roleAndKey(kind, key) : nameAndRole(persona))
  }
  return [
    [
      bold(screen, plain(key)),
      `attempt ${verdict.attempt}`,
      statusText(screen, verdict.verdict, verdictStates[verdict.verdict]),
      `by ${by(verdict.verifier_persona_id, 'verify')}; work of ${by(verdict.doer_persona_id, brief?.kind ?? 'work')}`,
      ago(verdict.at, screen.nowMs()),
    ].join('  '),
    ...list('Checked', verdict.checked.map(checkedText)),
    ...list('Missing', verdict.missing_evidence),
    ...list('Issues', verdict.issues),
    ...(verdict.notes === '' ? [] : named('Notes', verdict.notes)),
  ]
}

export const list = (name: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : named(name, items.map(plain).join('\n'))

const noteStates: Record<string, State> = { open: 'working', escalated: 'waiting', resolved: 'good' }

export const noteLines = (screen: Screen, note: Wire<NoteView>): string[] => [
  [
    bold(screen, note.note_id),
    statusText(screen, note.status, noteStates[note.status]),
    note.category ?? '–',
    plain(note.description),
  ].join('  '),
  ...(note.resolution === null ? [] : named('Resolution', `${note.resolution} (${note.resolved_by})`)),
  ...(note.escalation_reason === null ? [] : named('Escalated', note.escalation_reason)),
]

/** Names the place where the evidence of an attempt was checked, once it was. */
export const placeText = ({ checked_in: place }: Pick<Wire<Attempt>, 'checked_in'>): string[] =>
  place === null ? [] : [checkedInText[place]]

/** Marks a check that ran outside the box; only checks that start a process can be boxed. */
export const boxText = (check: Pick<Wire<Check>, 'kind' | 'boxed' | 'detail'>): string =>
  ranOutsideBox(check) ? '  (not boxed)' : ''

/** The line of an artifact ends with the command that prints it. */
export const artifactLine = (artifact: Wire<Artifact>): string =>
  `  ${plain(artifact.name)}  v${artifact.version}  ${bytesText(artifact.bytes)}  sha256 ${artifact.sha256.slice(0, 12)}…${artifact.author === null ? '' : `  by ${plain(artifact.author)}`}  ${catText(artifact)}`

const catText = ({ run_id: run, name, version }: Wire<Artifact>): string =>
  `agency cat ${run} ${/^[\w./:@+-]+$/.test(name) ? name : `'${plain(name).replaceAll("'", `'\\''`)}'`}${version > 1 ? ` --version ${version}` : ''}`
