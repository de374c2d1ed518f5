import { bold, faint, plain, type State, signText, stateOf, statusText, visible } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { shorten } from '../../../kernel/text.ts'
import { pathText } from '../../../work/amendments/cli.ts'
import type { Brief } from '../../../work/briefs/contract.ts'
import type { GateView } from '../../../work/gates/contract.ts'
import type { Part } from '../../../work/parts/contract.ts'
import type { Inspection } from '../../../work/runs/cli/inspection.ts'
import { artifactLine, type Screen } from '../../../work/runs/cli/views.ts'
import type { BriefData } from '../contract.ts'
import { jointVerdicts } from './joint-verdicts.ts'

export const tierNames = ['t1', 't2', 't3', 't4', 't5'] as const
export type TierName = (typeof tierNames)[number]

const roles: Record<TierName, string> = {
  t1: 'Visionary',
  t2: 'Architects',
  t3: 'Squad leads',
  t4: 'Implementers',
  t5: 'Verifiers',
}

type Standing = 'done' | 'active' | 'pending' | 'failed' | 'cancelled' | 'not reached' | 'not needed'
const signs: Record<Standing, State> = {
  done: 'good',
  active: 'working',
  pending: 'idle',
  failed: 'bad',
  cancelled: 'bad',
  'not reached': 'idle',
  'not needed': 'idle',
}

const waitingShown = 20

/** Formats the state of a tiered run: its tiers, its workstreams with their squads, and the briefs that wait. */
export function tierTree(screen: Screen, shown: Inspection): string[] {
  return [
    'tiers',
    ...branches(tierNames.map((tier) => ({ text: tierText(screen, shown, tier), below: tierDetails(shown, tier) }))),
    ...workstreamLines(screen, shown),
    ...waitingLines(screen, shown),
  ]
}

interface Branch {
  readonly text: string
  readonly below: readonly string[]
}

function branches(items: readonly Branch[]): string[] {
  return items.flatMap(({ text, below }, index) => {
    const isLast = index === items.length - 1
    return [`${isLast ? '└' : '├'} ${text}`, ...below.map((line) => `${isLast ? ' ' : '│'}   ${line}`)]
  })
}

export function tierText(screen: Screen, shown: Inspection, tier: TierName): string {
  const standing = standingOf(shown, tier)
  const gates = shown.gates.filter((gate) => gate.status === 'pending' && tierOfGate(gate) === tier)
  return [
    `${signText(screen, signs[standing])} ${bold(screen, tier.toUpperCase())} ${roles[tier]}`,
    standing,
    ...gates.map((gate) =>
      gate.approver === 'operator'
        ? `[GATE: pending review] ${plain(gate.gate)} (agency approve ${gate.id})`
        : `[GATE: ${plain(gate.approver)} decides] ${plain(gate.gate)}`,
    ),
  ].join('  ')
}

const settled = ['verified', 'done', 'cancelled', 'failed']
const unbegun = ['draft', 'committed']

/** Returns whether agents of this tier are at work, have been, or will be. */
export function standingOf({ run, briefs, parts }: Inspection, tier: TierName): Standing {
  const own = briefs.filter((brief) => tierOf(brief) === tier && brief.status !== 'cancelled')
  const isOpen = ({ status, attempts }: Wire<Brief>): boolean =>
    !settled.includes(status) && !unbegun.includes(status) && (status !== 'pending' || attempts > 0)
  if (own.some(isOpen)) return 'active'
  const done = own.filter(({ status }) => settled.includes(status))
  const streams = parts.filter(({ key }) => key.startsWith('ws:'))
  // Between two groups of workstreams all existing briefs are done, and more will come.
  const isAwaited = streams.some(
    (part) =>
      (part.status === 'waiting' || part.status === 'open') &&
      pathOf(part).includes(tier) &&
      !own.some(({ data }) => part.key === `ws:${(data as Partial<BriefData>).workstream}`),
  )
  if (own.length > 0 && done.length === own.length && (run.ended_at !== null || !isAwaited))
    return run.status !== 'done' && own.some(({ status }) => status === 'failed') ? 'failed' : 'done'
  if (done.length > 0) return 'active'
  if (run.ended_at !== null && briefs.some((brief) => tierOf(brief) === tier)) return 'cancelled'
  const isOnAPath = tier === 't1' || streams.length === 0 || streams.some((part) => pathOf(part).includes(tier))
  if (!isOnAPath || run.status === 'done') return 'not needed'
  return run.ended_at === null ? 'pending' : 'not reached'
}

/** The state of every tier, for JSON. */
export const standings = (shown: Inspection): Record<TierName, { status: Standing }> =>
  Object.fromEntries(tierNames.map((tier) => [tier, { status: standingOf(shown, tier) }])) as Record<
    TierName,
    { status: Standing }
  >

const pathOf = ({ data }: Wire<Part>): string[] => (Array.isArray(data['path']) ? (data['path'] as string[]) : [])

/** Returns the tier of a gate: `t2_synthesis` belongs to T2; gates that accept the whole result belong to T1. */
function tierOfGate({ gate }: Wire<GateView>): TierName | null {
  const named = tierNames.find((tier) => gate.startsWith(`${tier}_`))
  return named ?? (gate === 'merge' || gate === 'acceptance' ? 't1' : null)
}

const documentLabels = {
  t1: [
    ['t1_plan', 'workplan'],
    ['acceptance/final', 'acceptance'],
  ],
  t2: [
    ['domain_boundaries', 'boundaries'],
    ['shared_assumptions', 'assumptions'],
    ['architecture_proposal/', 'architecture proposals'],
    ['canonical_architecture', 'canonical architecture'],
    ['integration_summary', 'integration summary'],
  ],
  t3: [['tasks/', 'task breakdown']],
  t4: [],
  t5: [['joint_verdict/', 'joint verdicts']],
} as const satisfies Record<TierName, readonly (readonly [string, string])[]>

function tierDetails(shown: Inspection, tier: TierName): string[] {
  const versions = new Map(shown.artifacts.map(({ name, version }) => [name, version]))
  const labelled: readonly (readonly [string, string])[] = documentLabels[tier]
  const lines = labelled.flatMap(([name, label]) => {
    const found = Object.keys(shown.documents).filter((each) =>
      name.endsWith('/') ? each.startsWith(name) : each === name,
    )
    if (found.length === 0) return []
    const texts = found.slice(0, 6).map((each) => `${plain(each)} v${versions.get(each) ?? 1}`)
    return [`${label.padEnd(24)}${texts.join(', ')}${found.length > 6 ? `, and ${found.length - 6} more` : ''}`]
  })
  const counted = shown.briefs.filter((brief) => tierOf(brief) === tier)
  if (tier === 't4' && counted.length > 0) lines.push(countLine('T4 workers', counted))
  if (tier === 't5' && counted.length > 0) lines.push(countLine('T5 verifiers', counted))
  return lines
}

/** `T4 workers: 3/7 done, 1 retrying, 3 pending` */
export function countLine(noun: string, briefs: readonly Pick<Wire<Brief>, 'status' | 'attempts'>[]): string {
  const counts = new Map<string, number>()
  for (const brief of briefs) {
    const word = wordFor(brief)
    if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const rest = ['working', 'retrying', 'blocked', 'failed', 'pending'].flatMap((word) =>
    counts.has(word) ? [`${counts.get(word)} ${word}`] : [],
  )
  return `${noun}: ${[`${counts.get('done') ?? 0}/${total} done`, ...rest].join(', ')}`
}

/** Counts a brief that waits for verification as done: its implementer has nothing left to do. */
function wordFor({ status, attempts }: Pick<Wire<Brief>, 'status' | 'attempts'>): string | null {
  if (status === 'cancelled') return null
  if (status === 'ready_for_verification' || status === 'verified' || status === 'done') return 'done'
  if (status === 'failed' || status === 'blocked') return status
  if (status === 'pending' || unbegun.includes(status)) return attempts > 0 ? 'retrying' : 'pending'
  return attempts > 1 ? 'retrying' : 'working'
}

const partStates: Record<Part['status'], State> = { waiting: 'idle', open: 'working', done: 'good', cancelled: 'bad' }

function workstreamLines(screen: Screen, shown: Inspection): string[] {
  const streams = shown.parts.filter(({ key }) => key.startsWith('ws:'))
  if (streams.length === 0) return []
  const verdicts = new Map(jointVerdicts(shown).map((verdict) => [verdict.of, verdict]))
  return [
    'workstreams',
    ...branches(
      streams.map((stream) => ({
        text: [
          statusText(screen, stream.status === 'open' ? 'active' : stream.status, partStates[stream.status]),
          bold(screen, plain(stream.key.slice('ws:'.length))),
          pathText(pathOf(stream)),
          plain(String(stream.data['name'] ?? '')),
        ].join('  '),
        below: shown.parts
          .filter(({ parent, status }) => parent === stream.key && status !== 'cancelled')
          .map(({ key }) => {
            const id = key.slice('sq:'.length)
            const workers = shown.briefs.filter((brief) => brief.part === key && tierOf(brief) === 't4')
            const verdict = verdicts.get(id)
            return [
              `squad ${plain(id.slice(id.indexOf('/') + 1))}`,
              workers.length === 0 ? 'plans its tasks' : countLine('T4 workers', workers),
              ...(verdict === undefined ? [] : [`verdict ${plain(verdict.joint_verdict)}`]),
            ].join('  ')
          }),
      })),
    ),
  ]
}

/** Lists the briefs that have not started or are blocked, each with its reason. */
function waitingLines(screen: Screen, shown: Inspection): string[] {
  if (shown.run.ended_at !== null) return []
  const waiting = shown.briefs.filter(({ status }) => status === 'pending' || status === 'blocked')
  if (waiting.length === 0) return []
  const names = new Map(shown.briefs.map((brief) => [brief.id, nameOf(brief)]))
  const unmet = Map.groupBy(
    shown.dependencies.filter(({ met }) => !met),
    ({ brief_id: id }) => id,
  )
  return [
    'waiting',
    ...waiting.slice(0, waitingShown).map((brief) => {
      const after = (unmet.get(brief.id) ?? []).map(({ after_id: id }) => names.get(id) ?? id)
      const held = brief.held_by === 'dependencies' && after.length > 0 ? `after ${after.join(', ')}` : brief.held_by
      const state = brief.status === 'pending' ? 'idle' : stateOf(brief.status)
      return `  ${signText(screen, state)} ${(tierOf(brief) ?? '').toUpperCase()}  ${plain(nameOf(brief))}  ${held === null ? (brief.status === 'blocked' ? 'blocked' : 'may start') : `held: ${plain(held)}`}`
    }),
    ...(waiting.length > waitingShown ? [`  and ${waiting.length - waitingShown} more`] : []),
  ]
}

const nameOf = ({ data, key }: Wire<Brief>): string => (data as Partial<BriefData>).label ?? key

export const tierOf = ({ data }: Wire<Brief>): TierName | undefined => (data as Partial<BriefData>).tier

/** Returns the documents, artifacts and briefs of one tier. */
export function ofTier(shown: Inspection, tier: TierName) {
  const briefs = shown.briefs.filter((brief) => tierOf(brief) === tier)
  const authors = new Set(briefs.map(({ id }) => id))
  const artifacts = shown.artifacts.filter(
    ({ name, brief_id: id }) => (tierOfDocument(name) ?? (id !== null && authors.has(id) ? tier : null)) === tier,
  )
  const names = new Set(artifacts.map(({ name }) => name))
  return {
    run_id: shown.run.id,
    tier,
    status: standingOf(shown, tier),
    documents: Object.fromEntries(Object.entries(shown.documents).filter(([name]) => names.has(name))),
    artifacts,
    briefs,
  }
}

/** Returns the tier of a document by its name; the author of some documents belongs to another tier. */
function tierOfDocument(name: string): TierName | null {
  for (const tier of tierNames)
    for (const [known] of documentLabels[tier])
      if (known.endsWith('/') ? name.startsWith(known) : name === known) return tier
  return null
}

export function tierLines(screen: Screen, shown: Inspection, tier: TierName): string[] {
  const { documents, artifacts, briefs } = ofTier(shown, tier)
  const files = artifacts.filter(({ name }) => !Object.hasOwn(documents, name))
  return [
    tierText(screen, shown, tier),
    ...Object.entries(documents).flatMap(([name, content]) => [
      bold(screen, plain(name)),
      ...visible(JSON.stringify(content, null, 2))
        .replace(/^/gm, '  ')
        .split('\n'),
    ]),
    ...(files.length === 0 ? [] : ['files', ...files.map(artifactLine)]),
    ...briefLines(screen, 'briefs', briefs),
    // The tasks that T3 has drawn up, with the state of each.
    ...(tier === 't3' ? briefLines(screen, 'tasks', ofTier(shown, 't4').briefs) : []),
  ]
}

const briefLines = (screen: Screen, title: string, briefs: Inspection['briefs']): string[] => [
  ...(briefs.length === 0 ? [] : [title]),
  ...briefs.map((brief) =>
    [
      `  ${statusText(screen, brief.status)}`,
      bold(screen, plain(brief.key)),
      shorten(plain(brief.title), 80),
      faint(screen, brief.id),
      ...(brief.held_by === null ? [] : [`held: ${plain(brief.held_by)}`]),
    ].join('  '),
  ),
]
