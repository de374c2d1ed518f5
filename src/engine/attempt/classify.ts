import type { AgentEnded } from '../../adapters/runtime/port.ts'
import { shorten } from '../../kernel/text.ts'
import { redact, redactDeeply } from '../../secrets/redact.ts'
import { type Outcome, Report } from '../../work/attempts/contract.ts'

/** The reason why the engine itself ended an attempt, if it did. */
export type Stop = 'deadline_idle' | 'deadline_hard' | 'daemon_stop' | 'cancelled' | 'budget' | 'stopped' | 'cut_off'

export interface Ending {
  ended: AgentEnded
  stopped: Stop | null
  /** The report from the API or the runtime, not validated yet; undefined if there was none. */
  report: unknown
  /** The detail of an end without a report. */
  missing?: string
}

export interface Classified {
  outcome: Outcome
  detail: string
  report: Report | null
  /** Why the reports of a verifier contradict each other. */
  contradiction?: string
}

/** Classifies the end of an agent before its evidence is checked. */
export function classify(ending: Ending): Classified {
  const { ended, stopped } = ending
  if (stopped === 'daemon_stop' || stopped === 'cancelled')
    return {
      outcome: 'interrupted',
      detail: stopped === 'cancelled' ? 'the run was cancelled' : 'the daemon stopped',
      report: null,
    }
  if (stopped !== null)
    return {
      outcome: 'timeout',
      detail: stopped === 'deadline_idle' ? 'no output within the idle deadline' : 'the hard deadline has passed',
      report: null,
    }
  if (ended.signal !== null) return crash(`killed by ${ended.signal}`, ended)
  if (ended.exitCode === null)
    return { outcome: 'crash', detail: line(redact(ended.detail ?? 'ended without an exit code'), 500), report: null }
  if (ended.exitCode !== 0) return crash(`exit code ${ended.exitCode}`, ended)
  if (ending.report === undefined)
    return { outcome: 'bad_output', detail: ending.missing ?? 'ended without a report', report: null }
  const parsed = Report.safeParse(ending.report)
  if (!parsed.success) {
    const first = parsed.error.issues[0]
    return {
      outcome: 'bad_output',
      detail: line(['the report is malformed', first?.path.join('.'), first?.message].filter(Boolean).join(': '), 500),
      report: null,
    }
  }
  // Secrets are removed before anything is stored; a report through the API has lost them already.
  const report = withoutSecrets(parsed.data)
  // The agent's changes to Agency's own files were put back; the operator decides whether its work counts.
  if (ended.used?.violations !== undefined)
    return { outcome: 'blocked', detail: line(redact(ended.detail ?? 'it changed files of ours'), 300), report }
  const detail = line(report.summary, 300)
  if (report.status === 'blocked') return { outcome: 'blocked', detail, report }
  if (report.status === 'partial') return { outcome: 'partial_output', detail, report }
  return { outcome: 'ok', detail, report }
}

/** Removes secrets from all texts and data of a report. */
export const withoutSecrets = (report: Report): Report => redactDeeply(report) as Report

const crash = (what: string, ended: AgentEnded): Classified => ({
  outcome: 'crash',
  detail: line(ended.detail === undefined ? what : `${what}: ${redact(ended.detail)}`, 500),
  report: null,
})

const line = (text: string, max: number): string => shorten(text.replace(/\s+/g, ' ').trim(), max)
