import { attemptState } from '../briefs/state.ts'
import { answerText, gateNames, gateState } from '../decisions/labels.ts'
import type { Tone } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { addresses } from '../router.tsx'

export interface Span {
  key: string
  from: number
  to: number
  tone: Tone
  text: string
}

export interface Lane {
  key: string
  title: string
  to: string
  /** Indented: the brief verifies the one in the lane above. */
  inner: boolean
  spans: Span[]
}

export interface Timeline {
  begin: number
  end: number
  lanes: Lane[]
  /** The time that the axis shows: all of it, or only the time in which agents worked. */
  length: number
  /** Returns the place of a time on the axis, from 0 to 1. */
  place: (at: number) => number
  /** The periods that the axis leaves out. */
  hidden: { from: number; to: number }[]
  /** Milliseconds during which no agent worked. */
  idle: number
  /** Total times in milliseconds; agents that work in parallel count separately. */
  worked: number
  again: number
  waited: number
}

/** Computes the use of time of a run: attempts with their outcomes, and waits for the operator. */
export function timelineOf(
  { run, briefs, attempts, gates, questions }: Inspection,
  now: number,
  { hideWaiting = false } = {},
): Timeline {
  const begin = Date.parse(run.startedAt)
  const end = Math.max(begin + 1, run.endedAt === null ? now : Date.parse(run.endedAt))
  const at = (time: string | null | undefined): number => (time === null || time === undefined ? end : Date.parse(time))
  const waits: Span[] = [
    ...gates.map((gate) => ({
      key: gate.id,
      from: at(gate.pendingSince),
      to: at(gate.decidedAt),
      tone: 'waiting' as const,
      text: `${gateNames[gate.gate] ?? gate.gate}: ${gateState(gate).text}${gate.by === null ? '' : ` by ${gate.by}`}`,
    })),
    ...questions.map((question) => ({
      key: question.id,
      from: at(question.createdAt),
      to: at(question.answeredAt),
      tone: 'waiting' as const,
      text: `${question.text}: ${answerText(question) || 'not answered yet'}`,
    })),
  ].toSorted((a, b) => a.from - b.from)
  const attemptsOf = Map.groupBy(attempts, (attempt) => attempt.briefId)
  const verifiersOf = Map.groupBy(briefs, (brief) => brief.verifies)
  const lanes = briefs
    .filter((brief) => brief.verifies === null)
    .flatMap((brief) => [brief, ...(verifiersOf.get(brief.id) ?? [])])
    .filter((brief) => attemptsOf.has(brief.id))
    .map((brief) => ({
      key: brief.id,
      title: brief.title,
      to: addresses.brief(run.id, brief.id),
      inner: brief.verifies !== null,
      spans: (attemptsOf.get(brief.id) ?? []).map((attempt, index) => ({
        key: attempt.id,
        from: at(attempt.startedAt ?? attempt.createdAt),
        to: at(attempt.endedAt),
        tone: attemptState(attempt).tone,
        text: `attempt ${index + 1}: ${attemptState(attempt).text}${attempt.detail === null ? '' : `, ${attempt.detail}`}`,
      })),
    }))
  const waiting: Lane = { key: 'you', title: 'Waiting for you', to: addresses.run(run.id), inner: false, spans: waits }
  const lengths = (spans: readonly Pick<Span, 'from' | 'to'>[]): number =>
    spans.reduce((sum, span) => sum + span.to - span.from, 0)
  const idle = gapsOf(
    lanes.flatMap((lane) => lane.spans),
    begin,
    end,
  )
  const hidden = hideWaiting ? idle : []
  const length = Math.max(1, end - begin - lengths(hidden))
  return {
    begin,
    end,
    lanes: waits.length === 0 || hideWaiting ? lanes : [waiting, ...lanes],
    length,
    place: (at) => {
      const within = Math.min(Math.max(at, begin), end)
      const left = hidden.reduce((sum, gap) => sum + Math.max(0, Math.min(gap.to, within) - gap.from), 0)
      return (within - begin - left) / length
    },
    hidden,
    idle: lengths(idle),
    worked: lengths(lanes.flatMap((lane) => lane.spans)),
    again: lengths(lanes.flatMap((lane) => lane.spans.slice(1))),
    waited: covered(waits),
  }
}

/** Returns the periods between begin and end during which no span lasted. */
function gapsOf(spans: readonly Span[], begin: number, end: number): { from: number; to: number }[] {
  const gaps: { from: number; to: number }[] = []
  let until = begin
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    if (from > until) gaps.push({ from: until, to: from })
    until = Math.max(until, to)
  }
  if (end > until) gaps.push({ from: until, to: end })
  return gaps
}

/** Returns the time during which at least one span lasted. */
function covered(spans: readonly Span[]): number {
  let sum = 0
  let until = -Infinity
  for (const { from, to } of spans) {
    sum += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return sum
}

/** Returns round steps for an axis, about five over the given length. */
export function ticksOf(lengthMs: number): number[] {
  const step = steps.find((each) => lengthMs / each <= 6) ?? Math.ceil(lengthMs / 6 / day) * day
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, index) => index * step)
}

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000]
const steps = [
  ...[0.01, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30].map((each) => each * second),
  ...[1, 2, 5, 10, 20, 30].map((each) => each * minute),
  ...[1, 2, 6, 12].map((each) => each * hour),
  day,
]
