import type { Event } from '../../events/contract.ts'
import { counted, countText, moneyText } from '../../kernel/amounts.ts'
import { checkedInText } from '../../kernel/checked-in.ts'
import { escapeHidden } from '../../kernel/escape-hidden.ts'
import { endOfOutput, shorten } from '../../kernel/text.ts'
import type { Claim, ProofSheet, SheetCheck, SheetFinding, SheetGate, SheetVerdict } from '../proof-sheets/contract.ts'
import type { ResultFile, RunResult } from '../run-results/contract.ts'

/** A report without its form: sections of blocks, whose texts are plain and may have any characters of agents. */
export interface Content {
  readonly title: string
  readonly labels: readonly string[]
  readonly sections: readonly Section[]
}

export interface Section {
  readonly title: string
  readonly blocks: readonly Block[]
}

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  /** The words of an agent or a person. */
  | { readonly kind: 'quote'; readonly text: string; readonly by: string | null }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'items'; readonly items: readonly Item[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'code'; readonly title: string; readonly text: string }

export interface Item {
  readonly sign: 'good' | 'bad' | 'waiting' | 'none'
  readonly text: string
  /** Further facts, each in a few words. */
  readonly facts?: readonly string[]
  readonly code?: string
}

/** The first lines of a file; without a text, the remark says why. */
export interface Beginning {
  readonly path: string
  readonly text: string | null
  readonly remark: string | null
}

export interface ReportInput {
  readonly result: RunResult
  readonly beginnings: readonly Beginning[]
  readonly timeline: { readonly events: readonly Event[]; readonly hasGap: boolean }
  readonly madeAt: string
}

/** The number of characters of all claims together, and of one text among them. */
const mostOfClaims = 1_000_000
const mostOfText = 2_000
const mostItems = 20

/** Puts the facts of a run in the order in which a reader without Agency asks for them. */
export function contentOf({ result, beginnings, timeline, madeAt }: ReportInput): Content {
  const { run } = result
  const { blocks, left } = claimBlocks(result)
  const leftOut = leftOutOf(result, left, timeline.hasGap)
  return {
    title: cut(run.goal),
    labels: [run.status, ...(run.simulated ? ['simulated'] : []), ...boxLabel(run.boxed)],
    sections: [
      { title: 'Result', blocks: headBlocks(result) },
      { title: 'Files', blocks: fileBlocks(result, beginnings) },
      { title: 'Proofs', blocks: proofBlocks(result) },
      { title: 'Not proven', blocks: gapBlocks(result) },
      { title: 'Decisions', blocks: decisionBlocks(result) },
      { title: 'Assumptions', blocks: noteBlocks(result.claims) },
      { title: 'Briefs', blocks },
      { title: 'Timeline', blocks: timelineBlocks(timeline.events) },
      {
        title: 'About this report',
        blocks: [
          { kind: 'text', text: `Made by Agency at ${timeText(madeAt)} from the records of ${run.id}.` },
          ...(leftOut.length === 0
            ? []
            : [{ kind: 'text' as const, text: `Left out because of the size of the run: ${leftOut.join('; ')}.` }]),
        ],
      },
    ].filter(({ blocks: shown }) => shown.length > 0) as Section[],
  }
}

const boxLabel = (boxed: boolean | null): string[] => (boxed === null ? [] : [boxed ? 'boxed' : 'not boxed'])

function headBlocks(result: RunResult): Block[] {
  const { run, sentence, left, cost, waitsFor, verifiedBy } = result
  const facts = [
    `${timeText(run.startedAt)} to ${run.endedAt === null ? 'now: the run has not ended' : timeText(run.endedAt)}`,
    costText(cost, run.simulated),
    `${countText(cost.tokens)} tokens`,
    ...(run.repository === null
      ? ['no repository']
      : [
          `${run.repository.path}, branch ${run.repository.branch}, ${run.merged === null ? 'not merged' : `merged as ${run.merged.slice(0, 12)}`}`,
        ]),
    run.id,
  ]
  return [
    sentence === null
      ? { kind: 'text', text: 'No agent has reported.' }
      : sentence.source === 'run'
        ? { kind: 'text', text: cut(sentence.text) }
        : { kind: 'quote', text: cut(sentence.text), by: sentence.by?.name ?? null },
    ...(left === null ? [] : [{ kind: 'text' as const, text: `${left}.` }]),
    ...(waitsFor === null ? [] : [{ kind: 'text' as const, text: `It waits for ${waitsFor}.` }]),
    { kind: 'items', items: facts.map((text) => ({ sign: 'none', text: clean(text) })) },
    ...(verifiedBy.length === 0
      ? [{ kind: 'text' as const, text: 'No verifier judged this work.' }]
      : [
          {
            kind: 'items' as const,
            items: verifiedBy.map(({ name, passed, failed }) => ({
              sign: failed > 0 ? ('bad' as const) : ('good' as const),
              text: clean(`Judged by ${name}: ${counted(passed, 'brief')} passed, ${failed} not`),
            })),
          },
        ]),
  ]
}

const costText = ({ costMicros, unpricedCalls }: RunResult['cost'], simulated: boolean): string =>
  [
    `${moneyText(costMicros)}${simulated ? ' (simulated)' : ''}`,
    ...(unpricedCalls !== null && unpricedCalls > 0 ? [`${counted(unpricedCalls, 'call')} unpriced`] : []),
  ].join(' + ')

function fileBlocks({ files, filesTotal, diff, diffFault }: RunResult, beginnings: readonly Beginning[]): Block[] {
  if (files.length === 0) return [{ kind: 'text', text: diffFault ?? 'No file was reported.' }]
  return [
    ...(diff === null
      ? []
      : [
          {
            kind: 'text' as const,
            text: `${counted(diff.files, 'changed file')}, +${diff.added} −${diff.removed} lines`,
          },
        ]),
    ...(diffFault === null ? [] : [{ kind: 'text' as const, text: clean(diffFault) }]),
    {
      kind: 'table',
      head: ['File', 'Change', 'Bytes', 'SHA-256'],
      rows: files.map((file) => [
        clean(file.path),
        changeText(file),
        file.bytes === null ? '' : countText(file.bytes),
        file.sha256?.slice(0, 12) ?? '',
      ]),
    },
    ...(filesTotal > files.length
      ? [{ kind: 'text' as const, text: `and ${countText(filesTotal - files.length)} more` }]
      : []),
    ...beginnings.map(({ path, text, remark }): Block =>
      text === null
        ? { kind: 'text', text: clean(`${path}: ${remark}`) }
        : {
            kind: 'code',
            title: clean(remark === null ? path : `${path} (${remark})`),
            text: clean(shorten(text, 2 * mostOfText)),
          },
    ),
  ]
}

const changeText = ({ change }: ResultFile): string =>
  change === null
    ? ''
    : `${change.status.replace('_', ' ')} ${change.binary ? 'binary' : `+${change.added} −${change.removed}`}`

function proofBlocks({ proofs, claims }: RunResult): Block[] {
  const merged = proofs.find(({ status, findings }) => status !== 'cancelled' && findings.length > 0)
  if (merged !== undefined)
    return [
      {
        kind: 'text',
        text: clean(`On the merged result ${merged.head.slice(0, 12)}: ${merged.detail ?? merged.status}`),
      },
      { kind: 'items', items: merged.findings.slice(0, 5 * mostItems).map((each) => findingItem(each, merged)) },
    ]
  const delivered = claims.flatMap(({ checks }) => checks.filter(({ round }) => round === 'delivered'))
  if (delivered.length === 0) return [{ kind: 'text', text: 'Nothing was checked.' }]
  const held = delivered.filter(({ passed }) => passed).length
  return [
    {
      kind: 'text',
      text: `${held} of ${counted(delivered.length, 'proof')} held, each brief by itself; they stand with the briefs.`,
    },
  ]
}

const findingItem = (finding: SheetFinding, proof: ProofSheet['proofs'][number]): Item => ({
  ...proofItem(finding),
  facts: [
    ...proofFacts(finding),
    finding.checkedFor === undefined
      ? proof.checkedIn === null
        ? 'checked'
        : checkedInText[proof.checkedIn]
      : `not run again: the same files were checked for ${finding.checkedFor}`,
    timeText(proof.endedAt ?? proof.createdAt),
  ].map(clean),
})

const proofItem = (found: SheetFinding | SheetCheck): Item => ({
  sign: found.passed ? 'good' : 'bad',
  text: clean(shorten(`${found.what} (${found.detail})`, 500)),
  ...(found.output.trim() === '' ? {} : { code: clean(endOfOutput(found.output)) }),
})

const proofFacts = (found: SheetFinding | SheetCheck): string[] => [
  ...(['command', 'http', 'git'].includes(found.evidence.kind) ? [found.boxed ? 'boxed' : 'not boxed'] : []),
  ...(found.sha256 === undefined || found.sha256 === null ? [] : [`sha256 ${found.sha256.slice(0, 12)}`]),
]

const gapBlocks = ({ gaps, statement }: RunResult): Block[] => [
  { kind: 'text', text: clean(statement) },
  ...(gaps.length === 0
    ? []
    : [
        {
          kind: 'items' as const,
          items: gaps.map(({ text, briefs }) => ({
            sign: 'waiting' as const,
            text: clean(briefs.length === 0 ? text : `${text} (${briefs.join(', ')})`),
          })),
        },
      ]),
]

function decisionBlocks({ gates, answers }: RunResult): Block[] {
  const rows = [
    ...gates.map((gate) => [
      gate.gate,
      gate.status,
      gate.by ?? '',
      gate.decidedAt === null ? '' : timeText(gate.decidedAt),
      gateReason(gate),
    ]),
    ...answers.map(({ text, answer, by, at }) => [
      `question: ${shorten(text, 300)}`,
      'answered',
      by ?? '',
      timeText(at),
      shorten(answer, 500),
    ]),
  ]
  return rows.length === 0
    ? [{ kind: 'text', text: 'No person decided anything.' }]
    : [
        {
          kind: 'table',
          head: ['Decision', 'Outcome', 'By', 'When', 'Words'],
          rows: rows.map((row) => row.map(clean)),
        },
      ]
}

const gateReason = ({ reason, note, anomalies }: SheetGate): string =>
  shorten([reason ?? note ?? '', ...anomalies.map((text) => `shown: ${text}`)].filter(Boolean).join('; '), 1_000)

function noteBlocks(claims: readonly Claim[]): Block[] {
  const items = claims.flatMap(({ key, notes }) =>
    notes.slice(0, mostItems).map(({ description, status, resolution }): Item => ({
      sign: status === 'resolved' ? 'good' : 'waiting',
      text: clean(`${key}: ${shorten(description, 500)}`),
      facts: [clean(resolution === null ? status : `resolved: ${shorten(resolution, 300)}`)],
    })),
  )
  return items.length === 0 ? [] : [{ kind: 'items', items: items.slice(0, 10 * mostItems) }]
}

/** Shows claims until their texts reach the limit; failed ones come first. */
function claimBlocks({ claims, total }: RunResult): { blocks: Block[]; left: number } {
  const blocks: Block[] = []
  let characters = 0
  let shown = 0
  for (const claim of claims) {
    if (characters > mostOfClaims) break
    const own = blocksOf(claim)
    characters += JSON.stringify(own).length
    blocks.push(...own)
    shown++
  }
  return { blocks, left: total - shown }
}

const blocksOf = (claim: Claim): Block[] => [
  {
    kind: 'heading',
    text: clean(`${claim.title} (${claim.key}): ${claim.status.replaceAll('_', ' ')}, ${basisText[claim.basis]}`),
  },
  ...(claim.summary === null
    ? []
    : [{ kind: 'quote' as const, text: cut(claim.summary), by: claim.by === null ? null : authorText(claim.by) }]),
  {
    kind: 'items',
    items: [
      ...claim.checks
        .filter(({ round }) => round === 'delivered')
        .slice(0, mostItems)
        .map((check): Item => ({
          ...proofItem(check),
          facts: [
            ...proofFacts(check),
            ...(claim.checkedIn === null ? [] : [checkedInText[claim.checkedIn]]),
            timeText(check.at),
          ].map(clean),
        })),
      ...claim.odd.slice(0, mostItems).map(({ text }): Item => ({ sign: 'waiting', text: clean(`odd: ${text}`) })),
      ...(claim.contradiction === null
        ? []
        : [{ sign: 'bad' as const, text: clean(`its reports contradict each other: ${claim.contradiction}`) }]),
      ...claim.verdicts.slice(-mostItems).map(verdictItem),
    ],
  },
]

const basisText: Record<Claim['basis'], string> = {
  checked: 'checked',
  judged: 'judged by a verifier',
  both: 'checked and judged',
  neither: 'not judged, and not checked by evidence of the operator',
  open: 'not finished',
}

const verdictItem = ({ verdict, by, attempt, isCurrent, notes, issues, missingEvidence, at }: SheetVerdict): Item => ({
  sign: verdict === 'pass' ? 'good' : 'bad',
  text: clean(
    shorten(
      [`verdict ${verdict}`, notes, ...missingEvidence.map((text) => `missing: ${text}`), ...issues]
        .filter((text) => text.trim() !== '')
        .join('; '),
      1_000,
    ),
  ),
  facts: [
    ...(by === null ? [] : [authorText(by)]),
    ...(isCurrent ? [] : [`on attempt ${attempt}, not the newest`]),
    timeText(at),
  ].map(clean),
})

const authorText = ({ name, runtime, simulated, boxed }: NonNullable<Claim['by']>): string =>
  [name, runtime, ...(simulated ? ['simulated'] : []), boxed ? 'boxed' : 'not boxed'].join(', ')

const timelineBlocks = (events: readonly Event[]): Block[] =>
  events.length === 0
    ? []
    : [
        {
          kind: 'table',
          head: ['When', 'Event', 'By'],
          rows: events.map(({ at, message, by }) => [timeText(at), clean(shorten(message, 300)), clean(by)]),
        },
      ]

const leftOutOf = ({ filesTotal, files, total }: RunResult, left: number, hasGap: boolean): string[] => [
  ...(left > 0 ? [`${countText(left)} of ${counted(total, 'brief')}`] : []),
  ...(filesTotal > files.length ? [`${countText(filesTotal - files.length)} files`] : []),
  ...(hasGap ? ['events between the first and the last of the timeline'] : []),
]

/** `2026-01-31 12:34 UTC` */
const timeText = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

const clean = (text: string): string => escapeHidden(text.replaceAll('\r\n', '\n').replaceAll('\t', '    '))
const cut = (text: string): string => clean(shorten(text, mostOfText))
