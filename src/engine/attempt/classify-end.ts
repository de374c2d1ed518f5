import type { AgentEnded, Limited } from '../../adapters/runtime/port.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import { type Ending, hasAsked } from '../../work/attempts/contract.ts'
import type { Refused } from '../../work/budgets/arithmetic.ts'
import { type Classified, classify, type Stop } from './classify.ts'
import { type CountedReports, countReports, type Reports } from './report.ts'

/** Everything that is known about an agent that has ended, beside its report. */
export interface AgentEnd {
  ended: AgentEnded
  stopped: Stop | null
  /** The limit that ended the agent, if one did. */
  refused?: Refused | null
  startFailed?: boolean
  /** The guarantee that this machine cannot give, so that no further attempt would start either. */
  unavailable?: string
  /** The reason why the agent was no longer followed, if this process did not follow it to its end. */
  reason?: string
}

/**
 * Classifies the end of an agent. If the agent reported before the daemon died or stopped, or before a limit or its
 * provider ended it, the report counts: the work is done, and nothing more is spent on it. A malformed report does not
 * count then, because the agent may have been ended while it wrote it.
 */
export function classifyEnd({ ended, stopped, reason, refused, unavailable }: AgentEnd, told: Reports): Classified {
  if (unavailable !== undefined && stopped === null)
    return { outcome: 'blocked', detail: shorten(redact(unavailable), 500), report: null }
  const isForeign = told.kind === 'verify' && ended.madeNoReport === true && (told.sent ?? null) !== null
  const { reports, contradiction, missing } = isForeign ? foreignReport : countReports(told)
  const isLimited = stopped === null && ended.limited !== undefined
  const isOurs = reason !== undefined || isLimited || (stopped !== null && stopsWithoutFault.has(stopped))
  if (!isOurs) {
    const classified = classify({ ended, stopped, report: reports[0], missing })
    return withDenied(withContradiction(classified, contradiction), ended)
  }
  for (const report of reports) {
    const finished = classify({ ended: { kind: 'ended', exitCode: 0, signal: null }, stopped: null, report })
    if (finished.report !== null) return withContradiction(finished, contradiction)
  }
  if (reason !== undefined) return { outcome: 'interrupted', detail: reason, report: null }
  if (stopped === 'budget') return { outcome: 'budget', detail: refused?.reason ?? 'a budget is used up', report: null }
  if (isLimited) return { outcome: 'interrupted', detail: limitedDetail(ended.limited as Limited), report: null }
  return { outcome: 'interrupted', detail: stopDetails[stopped ?? ''] ?? 'the daemon stopped', report: null }
}

/** Code of the judged work that a verifier ran has its token, and can end it before it reports itself. */
const foreignReport: CountedReports = {
  reports: [],
  contradiction: null,
  missing: 'a program that it ran reported in its name, and it gave no verdict itself',
}

/** Returns the ending of an attempt that is to be examined; null if there is nothing to examine. */
export const endingOf = (
  { outcome, detail, report }: Classified,
  { refused = null, ended }: AgentEnd,
): Ending | null =>
  report === null || (outcome !== 'ok' && outcome !== 'partial_output')
    ? null
    : { outcome, detail, refused, denied: (ended.denied ?? []).slice(0, 100) }

/** Returns the reason of an interruption, as events and limits use it. */
export function interruptionReason({ reason, stopped, ended }: AgentEnd): string {
  if (reason !== undefined) return reason
  if (stopped === 'stopped' || stopped === 'cut_off') return stopped
  return stopped === null && ended.limited !== undefined ? 'provider_limited' : 'daemon_stopped'
}

/** A verifier that contradicts itself has not judged, whichever of its reports is true. */
const withContradiction = (classified: Classified, contradiction: string | null): Classified =>
  classified.report === null || contradiction === null
    ? classified
    : {
        ...classified,
        outcome: 'bad_output',
        detail: `its reports contradict each other: ${contradiction}; report one verdict, once`,
        contradiction,
      }

/** Blocks an agent that produced nothing because an operation was denied; an agent that found another way has finished. */
function withDenied(classified: Classified, { denied = [] }: AgentEnded): Classified {
  if (denied.length === 0 || (classified.outcome !== 'bad_output' && classified.outcome !== 'blocked'))
    return classified
  // The agent's own question is more precise.
  if (hasAsked(classified.report)) return classified
  const detail = shorten(
    `these operations need permission: ${denied.map(({ what }) => redact(what)).join('; ')}`,
    1_000,
  )
  return { ...classified, outcome: 'blocked', detail }
}

const stopsWithoutFault: ReadonlySet<Stop> = new Set(['daemon_stop', 'stopped', 'budget', 'cut_off'])

const stopDetails: Readonly<Record<string, string>> = {
  stopped: 'stopped',
  cut_off: 'the daemon was cut off from the store',
}

const limitedDetail = ({ reason }: Limited): string =>
  shorten(`its provider takes no more calls: ${redact(reason)}`.replace(/\s+/g, ' '), 300)
