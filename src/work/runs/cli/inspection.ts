import type { CliContext } from '../../../cli/context.ts'
import type { Wire } from '../../../cli/wire.ts'
import type { EventLine } from '../../../events/cli.ts'
import { eventEndpoints } from '../../../events/endpoints.ts'
import { refusal } from '../../../kernel/errors.ts'
import type { RunState } from '../../../kernel/run-state.ts'
import type { PersonaInRun } from '../../agents/contract.ts'
import type { Artifact } from '../../artifacts/contract.ts'
import type { Attempt } from '../../attempts/contract.ts'
import type { Amendment } from '../../amendments/contract.ts'
import type { BriefView, Dependency, HeldBrief } from '../../briefs/contract.ts'
import { briefEndpoints } from '../../briefs/endpoints.ts'
import type { Check } from '../../evidence/contract.ts'
import type { GateView } from '../../gates/contract.ts'
import type { NoteView } from '../../notes/contract.ts'
import type { Part } from '../../parts/contract.ts'
import type { Proof } from '../../proofs/contract.ts'
import type { Question } from '../../questions/contract.ts'
import type { Verdict } from '../../verdicts/contract.ts'
import type { ModelCost } from '../../spends/contract.ts'
import type { Continuation, Run, RunStanding } from '../contract.ts'
import { runEndpoints } from '../endpoints.ts'

/** Everything about a run, as the daemon sends it. */
export interface Inspection {
  run: Wire<Run>
  status: string
  state: RunState
  decisions: number
  progress: Wire<RunStanding>['progress']
  waits_for: string | null
  briefs: Wire<HeldBrief>[]
  dependencies: Wire<Dependency>[]
  attempts: Wire<Attempt>[]
  evidence: Wire<Check>[]
  artifacts: Wire<Artifact>[]
  /** The content of the newest version of each document, by name. */
  documents: Record<string, unknown>
  parts: Wire<Part>[]
  amendments: Wire<Amendment>[]
  gates: Wire<GateView>[]
  questions: Wire<Question>[]
  verdicts: Wire<Verdict>[]
  proofs: Wire<Proof>[]
  notes: Wire<NoteView>[]
  personas: Wire<PersonaInRun>[]
  spends: Wire<ModelCost>[]
  continued_by: { id: string; status: string; kind: Continuation['kind'] }[]
  events: EventLine[]
  /** The escalations with sender and receiver; present only with --escalations. */
  escalations?: Escalation[]
}

export const fetchInspection = (context: CliContext, id: string): Promise<Inspection> =>
  context.api().call<Inspection>(runEndpoints.inspect, { run_id: id })

/** Finds a brief by its id, a prefix of its id, its key, the end of its key, or its title; the first that fits counts. */
export function findBrief(shown: Inspection, wanted: string): Wire<HeldBrief> {
  const folded = wanted.trim().toLowerCase()
  const ways: ((brief: Wire<HeldBrief>) => boolean)[] = [
    (brief) => brief.id === wanted || brief.key === wanted,
    (brief) => brief.id.startsWith(wanted) || brief.id.startsWith(`brf_${wanted}`),
    (brief) => brief.kind !== 'verify' && brief.key.endsWith(`:${folded}`),
    (brief) => brief.title.toLowerCase() === folded,
  ]
  const found = ways.map((fits) => shown.briefs.filter(fits)).find((some) => some.length > 0) ?? []
  if (found.length === 1) return found[0] as Wire<HeldBrief>
  if (found.length === 0)
    throw refusal('not_found', `no brief "${wanted}" in ${shown.run.id}`, {
      hint: `Its briefs: ${keysOf(shown.briefs, 20)}`,
    })
  throw refusal('invalid_input', `"${wanted}" fits ${found.length} briefs`, {
    hint: `Name one by its key: ${keysOf(found, 5)}`,
  })
}

/** Lists the keys of the first briefs, and counts the keys that it leaves out. */
function keysOf(briefs: readonly Wire<HeldBrief>[], most: number): string {
  const keys = briefs.slice(0, most).map(({ key }) => key)
  const rest = briefs.length - keys.length
  return `${keys.join(', ')}${rest > 0 ? ` and ${rest} more ("agency inspect ${briefs[0]?.run_id} --json" has all)` : ''}`
}

export const ofBrief = (whole: Inspection, brief: Wire<HeldBrief>): Inspection => ({
  ...whole,
  briefs: [brief],
  attempts: whole.attempts.filter((attempt) => attempt.brief_id === brief.id),
  evidence: whole.evidence.filter((check) => check.brief_id === brief.id),
  dependencies: whole.dependencies.filter((dependency) => dependency.brief_id === brief.id),
  artifacts: whole.artifacts.filter((artifact) => artifact.brief_id === brief.id),
  documents: Object.fromEntries(
    whole.artifacts
      .filter(({ name, brief_id: id }) => id === brief.id && Object.hasOwn(whole.documents, name))
      .map(({ name }) => [name, whole.documents[name]]),
  ),
  amendments: whole.amendments.filter(({ kind, workstream, touched }) =>
    kind === 'plan' ? touched.includes(brief.key) : workstream === brief.group_key,
  ),
  gates: whole.gates.filter((gate) => gate.boundary === `brief:${brief.id}`),
  questions: whole.questions.filter((question) => question.brief_id === brief.id),
  verdicts: whole.verdicts.filter((verdict) => verdict.brief_id === brief.id),
  notes: whole.notes.filter((note) => note.brief_id === brief.id),
  events: whole.events.filter((event) => event.brief_id === brief.id),
})

const settled = new Set(['done', 'verified', 'cancelled'])

/** Leaves the briefs that fail or are blocked, and the decisions that are open. */
export function failingOf(whole: Inspection): Inspection {
  const briefs = whole.briefs.filter(({ id, status, failure }) => {
    if (settled.has(status)) return false
    const last = whole.attempts.findLast((attempt) => attempt.brief_id === id)?.outcome ?? null
    return status === 'failed' || status === 'blocked' || failure !== null || (last !== null && last !== 'ok')
  })
  const ids = new Set(briefs.map(({ id }) => id))
  const isOf = ({ brief_id: id }: { brief_id: string | null }): boolean => id !== null && ids.has(id)
  return {
    ...whole,
    briefs,
    attempts: whole.attempts.filter(isOf),
    evidence: whole.evidence.filter(isOf),
    artifacts: whole.artifacts.filter(isOf),
    verdicts: whole.verdicts.filter(isOf),
    notes: whole.notes.filter(isOf),
    events: whole.events.filter(isOf),
    gates: whole.gates.filter(({ status }) => status === 'pending'),
    questions: whole.questions.filter(({ answered_at }) => answered_at === null),
  }
}

/** Fetches one brief with its context and the report of its newest attempt. */
export async function fetchBrief(
  context: CliContext,
  { attempts }: Inspection,
  { id, attempt_id: newest }: Wire<HeldBrief>,
): Promise<{ brief: Wire<BriefView>; result: unknown }> {
  const brief = await context.api().call<Wire<BriefView>>(briefEndpoints.show, { brief_id: id })
  return { brief, result: attempts.find((attempt) => attempt.id === newest)?.report ?? null }
}

export const briefHistory = async (context: CliContext, runId: string, briefId: string): Promise<EventLine[]> =>
  (await eventsOf(context, runId)).filter((event) => event.brief_id === briefId)

/** An escalation from one author to the next above; the higher the rank, the further up. */
export interface Escalation {
  at: string
  from: string
  to: string
  class: string
  rank: number
  brief_id: string | null
  message: string
  /** Why the question went on at once, if it did. */
  skipped?: string
}

/** Lists the hops of questions as escalations. */
export const hopsOf = (
  questions: readonly Pick<Wire<Question>, 'hops' | 'class' | 'brief_id'>[],
  rankOf: (receiver: string) => number,
): Escalation[] =>
  questions.flatMap(({ hops, class: cause, brief_id }) =>
    hops.map(({ at, from, to, skipped }) => ({
      at,
      from,
      to,
      class: String(cause),
      rank: rankOf(to),
      brief_id,
      message: `${from} → ${to}`,
      ...(skipped === undefined ? {} : { skipped }),
    })),
  )

export const fetchEscalations = async (
  context: CliContext,
  runId: string,
  rankOf?: (receiver: string) => number,
): Promise<Escalation[]> => escalationsIn(await eventsOf(context, runId, 'escalated'), rankOf)

/** Picks the escalations with a receiver out of events; a blocked brief also records an event of the same kind. */
export const escalationsIn = (
  events: readonly Pick<EventLine, 'at' | 'brief_id' | 'message' | 'data'>[],
  rankOf: (receiver: string) => number = () => 0,
): Escalation[] =>
  events.flatMap(({ at, brief_id, message, data: { from, to, class: cause } }) =>
    typeof from === 'string' && typeof to === 'string'
      ? [{ at, from, to, class: String(cause), rank: rankOf(to), brief_id, message }]
      : [],
  )

async function eventsOf(context: CliContext, runId: string, kind?: string): Promise<EventLine[]> {
  const found: EventLine[] = []
  for (let after = 0; ;) {
    const { events } = await context
      .api()
      .call<{ events: EventLine[] }>(eventEndpoints.ofRun, { run_id: runId, after, limit: 1_000, kind })
    found.push(...events)
    if (events.length < 1_000) return found
    after = events.at(-1)?.seq ?? 0
  }
}
