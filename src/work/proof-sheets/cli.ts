import type { proofCommand } from '../../cli/commands/proof.ts'
import type { Handler } from '../../cli/declare.ts'
import {
  bold,
  duration,
  faint,
  plain,
  signText,
  type State,
  statusText,
  type Terminal,
  visible,
} from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { checkedText } from '../../kernel/checked.ts'
import { checkedInText, wasNotRun } from '../../kernel/checked-in.ts'
import { shorten } from '../../kernel/text.ts'
import { namedOrNewest } from '../runs/cli/newest.ts'
import type { Author, Claim, ProofSheet, SheetCheck, SheetFinding, SheetGate, SheetVerdict } from './contract.ts'
import { proofSheetEndpoints } from './endpoints.ts'

type Sheet = Wire<ProofSheet>

/** Lines of an output, and items of a list, that the text shows; --json has more of them. */
const shownLines = 3
const shownItems = 20

export const showProof: Handler<typeof proofCommand> = async (context, run, { limit, offset, json }) => {
  const run_id = await namedOrNewest(context, run)
  const sheet = await context.api().call<Sheet>(proofSheetEndpoints.show, { run_id, limit, offset })
  if (json) context.json(sheet)
  else for (const line of sheetLines(context, sheet)) context.out(line)
  return 0
}

/** Formats a sheet to be read from the top: the statement first, then what it rests on. */
export function sheetLines(screen: Terminal, sheet: Sheet): string[] {
  const { run, gaps, claims, next } = sheet
  return [
    `${signText(screen, sheet.is_proven ? 'good' : 'waiting')} ${plain(sheet.statement)}`,
    '',
    ...runLines(screen, run),
    ...section(
      screen,
      'not proven',
      gaps.map(({ text, briefs }) => `  ${plain(text)}${briefs.length === 0 ? '' : ` (${few(briefs)})`}`),
    ),
    ...section(
      screen,
      'merged result',
      sheet.proofs.flatMap((proof) => proofLines(screen, proof)),
    ),
    ...section(
      screen,
      'checked again later',
      sheet.repeats.flatMap((repeat) => repeatLines(screen, repeat)),
    ),
    ...section(
      screen,
      'decisions',
      sheet.gates.flatMap((gate) => gateLines(screen, gate)),
    ),
    ...section(
      screen,
      'accepted parts',
      sheet.acceptances.map((text) => `  ${plain(text)}`),
    ),
    ...section(
      screen,
      'claims',
      claims.flatMap((claim) => claimLines(screen, claim)),
    ),
    ...(next === null ? [] : [`  and ${sheet.total - next} more (agency proof ${run.id} --offset ${next})`]),
  ]
}

const section = (screen: Terminal, title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', bold(screen, title), ...lines]

function runLines(screen: Terminal, run: Sheet['run']): string[] {
  const { repository: repo } = run
  return [
    [
      bold(screen, run.id),
      statusText(screen, run.status),
      run.playbook,
      ...(run.simulated ? ['simulated'] : []),
      ...(run.boxed === false ? ['not boxed'] : run.boxed === true ? ['boxed'] : []),
    ].join('  '),
    `goal     ${shorten(plain(run.goal), 500)}`,
    ...(repo === null
      ? ['code     no repository: what was delivered is not kept as a commit']
      : [
          `code     ${plain(repo.path)}, from ${short(repo.base)} of ${plain(repo.branch)} to ${short(run.result)}, ${run.merged === null ? 'not merged' : `merged as ${short(run.merged)}`}`,
        ]),
  ]
}

const causes = { merge: 'before the gate', landing: 'before it landed' }

function proofLines(screen: Terminal, proof: Sheet['proofs'][number]): string[] {
  const words = [
    short(proof.head),
    causes[proof.cause],
    proof.status,
    ...placeText(proof.checked_in),
    time(proof.created_at),
  ]
  return [
    `  ${signText(screen, signOf(proof.status))} ${words.join('  ')}`,
    ...(proof.status === 'passed' || proof.detail === null ? [] : [`    ${plain(proof.detail)}`]),
    ...proof.findings.flatMap((finding) => findingLines(screen, finding, finding.briefs)),
  ]
}

const subjects = { merged: 'merged commit', result: 'result', branch: 'target branch' }

const repeatLines = (screen: Terminal, repeat: Sheet['repeats'][number]): string[] => [
  `  ${signText(screen, signOf(repeat.status))} ${[short(repeat.commit_id), subjects[repeat.subject], repeat.status, time(repeat.created_at)].join('  ')}`,
  ...(repeat.detail === null ? [] : [`    ${plain(repeat.detail)}`]),
]

const signOf = (status: string): 'good' | 'bad' | 'waiting' =>
  status === 'passed' ? 'good' : status === 'failed' ? 'bad' : 'waiting'

function gateLines(screen: Terminal, gate: Wire<SheetGate>): string[] {
  const state = gate.status === 'approved' ? 'good' : gate.status === 'pending' ? 'waiting' : 'bad'
  const by = gate.by === null ? '' : ` by ${plain(gate.by)}`
  const said = gate.reason ?? gate.note
  return [
    `  ${signText(screen, state)} ${plain(gate.gate)} ${gate.status}${by}${gate.decided_at === null ? '' : `  ${time(gate.decided_at)}`}`,
    ...(said === null ? [] : [`    ${shorten(plain(said), 500)}`]),
    ...(gate.approvals.length > 1 ? gate.approvals : []).map(
      ({ by: who, at }) => `    approved by ${plain(who)}  ${time(at)}`,
    ),
    ...gate.anomalies.slice(0, shownItems).map((anomaly) => `    shown: ${shorten(plain(anomaly), 500)}`),
    ...more(gate.anomalies.length),
  ]
}

function claimLines(screen: Terminal, claim: Wire<Claim>): string[] {
  return [
    `  ${statusText(screen, claim.status)}  ${bold(screen, plain(claim.key))}  ${shorten(plain(claim.title), 80)}  ${basisOf(claim)}  ${faint(screen, claim.brief_id)}`,
    ...(claim.summary === null
      ? []
      : [
          `    claims   "${shorten(plain(claim.summary), 300)}"${claim.by === null ? '' : `  ${authorText(claim.by)}`}`,
        ]),
    ...(claim.attempts > 1 ? [`    attempts ${claim.attempts}; the newest counts`] : []),
    ...(claim.commit === null ? [] : [`    commit   ${short(claim.start_commit)} → ${short(claim.commit)}`]),
    ...claim.outputs
      .slice(0, shownItems)
      .map(({ path, sha256 }) => `    output   ${plain(path)}  ${faint(screen, `sha256 ${sha256.slice(0, 12)}`)}`),
    ...more(claim.outputs.length),
    ...claim.checks.flatMap((check) => checkLines(screen, check, claim.checked_in)),
    ...claim.odd.map(({ text }) => `    ${signText(screen, 'waiting')} odd      ${shorten(plain(text), 500)}`),
    ...(claim.contradiction === null
      ? []
      : [`    ${signText(screen, 'bad')} its reports contradict each other: ${plain(claim.contradiction)}`]),
    ...claim.verdicts.flatMap((verdict) => verdictLines(screen, verdict)),
    ...claim.notes
      .slice(0, shownItems)
      .map(
        (note) =>
          `    note     ${note.note_id} ${shorten(plain(note.description), 200)}: ${note.resolution === null ? note.status : shorten(plain(note.resolution), 200)}`,
      ),
    ...more(claim.notes.length),
  ]
}

const basisText = {
  checked: 'checked',
  judged: 'judged',
  both: 'checked and judged',
  open: 'not finished',
}

/** Says what a claim rests on. Checks that hold may support nothing: those of a planner, or evidence that held before. */
function basisOf({ basis, checks }: Pick<Wire<Claim>, 'basis' | 'checks'>): string {
  if (basis !== 'neither') return basisText[basis]
  const delivered = checks.filter(({ round }) => round === 'delivered')
  if (delivered.length === 0) return 'neither checked nor judged'
  if (delivered.some(({ passed }) => !passed)) return 'not judged, only a part of the evidence held'
  const before = checks.filter(({ round }) => round === 'before')
  return before.length > 0 && before.every(({ passed }) => passed)
    ? 'not judged, its evidence held before the work began'
    : 'not judged, checked only by evidence that is not the operator’s'
}

const rounds = {
  delivered: [],
  again: ['a second time'],
  base_witnesses: ['with the tests and scripts of the start'],
  before: ['before the work began'],
}

const checkLines = (screen: Terminal, check: Wire<SheetCheck>, place: Wire<Claim>['checked_in']): string[] =>
  resultLines(
    screen,
    check,
    [
      ...rounds[check.round],
      ...(check.commit_id === null ? [] : [`on ${short(check.commit_id)}`]),
      ...placeText(place),
    ],
    stateOf(check),
  )

/** Evidence that does not hold before the work begins is as it should be. */
const stateOf = ({ round, passed }: Wire<SheetCheck>): State =>
  round === 'before' ? (passed ? 'waiting' : 'idle') : passed ? 'good' : 'bad'

const findingLines = (screen: Terminal, finding: Wire<SheetFinding>, briefs: readonly string[]): string[] =>
  resultLines(screen, finding, [
    `for ${few(briefs)}`,
    ...(finding.checked_for === undefined
      ? []
      : [`not run again: the same files were checked for ${plain(finding.checked_for)}`]),
  ])

type Result = Pick<
  Wire<SheetFinding>,
  'passed' | 'what' | 'expects' | 'detail' | 'output' | 'sha256' | 'duration_ms' | 'setup' | 'boxed' | 'evidence'
>

function resultLines(
  screen: Terminal,
  result: Result,
  around: readonly string[],
  state: State = result.passed ? 'good' : 'bad',
): string[] {
  const { what, expects, detail, output, evidence } = result
  const hasRun = ['command', 'git', 'http'].includes(evidence.kind) && !wasNotRun(detail)
  const words = [
    ...around,
    ...(hasRun ? [result.boxed ? 'boxed' : 'not boxed'] : []),
    ...(result.setup === undefined || result.setup === null ? [] : [`setup ${shorten(plain(result.setup), 80)}`]),
    ...(result.duration_ms === undefined ? [] : [duration(result.duration_ms)]),
    ...(result.sha256 === undefined || result.sha256 === null ? [] : [`sha256 ${result.sha256.slice(0, 12)}`]),
  ]
  const lines = visible(output)
    .split('\n')
    .filter((line) => line.trim() !== '')
  return [
    `    ${signText(screen, state)} ${shorten(plain(what), 200)} (${shorten(plain(expects.join(', ')), 200) || 'exists'}): ${shorten(plain(detail), 300)}`,
    `      ${faint(screen, words.join(', '))}`,
    ...lines.slice(0, shownLines).map((line) => `      ${faint(screen, `| ${shorten(line, 200)}`)}`),
    ...(lines.length > shownLines ? [`      ${faint(screen, '| …')}`] : []),
  ]
}

function verdictLines(screen: Terminal, verdict: Wire<SheetVerdict>): string[] {
  const state = verdict.verdict === 'pass' ? 'good' : 'bad'
  const on = verdict.is_current ? '' : `, on attempt ${verdict.attempt}`
  const items = (name: string, texts: readonly string[]): string[] =>
    texts.length === 0 ? [] : [`      ${name} ${shorten(plain(texts.join('; ')), 500)}`]
  return [
    `    ${signText(screen, state)} verdict ${verdict.verdict}${on}${verdict.by === null ? '' : `  ${authorText(verdict.by)}`}  ${time(verdict.at)}`,
    ...items('looked at', verdict.checked.map(checkedText)),
    ...items('missing', verdict.missing_evidence),
    ...items('issues', verdict.issues),
    ...(verdict.notes.trim() === '' ? [] : [`      "${shorten(plain(verdict.notes), 300)}"`]),
  ]
}

const authorText = ({ persona, runtime, simulated, boxed, attempt_id: id }: Wire<Author>): string =>
  [plain(persona), runtime, ...(simulated ? ['simulated'] : []), boxed ? 'boxed' : 'not boxed', id].join(', ')

const placeText = (place: Wire<Claim>['checked_in']): string[] => (place === null ? [] : [checkedInText[place]])

const few = (names: readonly string[]): string => shorten(plain(names.join(', ')), 200)
const more = (count: number): string[] => (count > shownItems ? [`    and ${count - shownItems} more`] : [])
const short = (commit: string | null): string => commit?.slice(0, 12) ?? '–'
const time = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
