import { isTooDeep, maxDepth } from '../../kernel/nesting.ts'
import { fromWire } from '../../operations/wire.ts'
import { redactDeeply } from '../../secrets/redact.ts'
import { Report } from '../../work/attempts/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { contradictionInWord } from '../../work/verdicts/contradiction.ts'

/** A report that a runtime delivered, not validated yet. */
export interface BroughtReport {
  readonly report: unknown
  /** result: what the agent itself gave its runtime as its result; printed: a line of a program; file: its outbox. */
  readonly from: 'result' | 'printed' | 'file'
}

/** Everything that an attempt has reported. */
export interface Reports {
  readonly kind: Brief['kind']
  /** The report that was sent with the token of the attempt; null: none. */
  readonly sent: unknown
  /** Why reports that were sent contradict each other. */
  readonly contradiction: string | null
  /** The reports that its runtime delivered, in order. */
  readonly brought: readonly BroughtReport[]
}

/** The reports that can count, the first of them before the others. */
export interface CountedReports {
  readonly reports: readonly unknown[]
  readonly contradiction: string | null
  /** Why nothing counts, if nothing does. */
  readonly missing: string
}

/**
 * Puts everything that an attempt has reported in one order. Of work the newest report counts. An agent that reports
 * with its token has no other report: a line or a file may come from a program that it started. A file has no time that
 * could be trusted, so it is older than everything that the agent has said. Of a verifier only its own result counts,
 * and of several the first.
 */
export function countReports({ kind, sent, contradiction, brought }: Reports): CountedReports {
  const hasSent = sent !== null && sent !== undefined
  if (kind !== 'verify') {
    const newest = [...brought].reverse()
    const inOrder = [...newest.filter(({ from }) => from !== 'file'), ...newest.filter(({ from }) => from === 'file')]
    return {
      reports: hasSent ? [sent] : inOrder.map(({ report }) => report),
      contradiction: null,
      missing: 'ended without a report',
    }
  }
  const own = brought.filter(({ from }) => from === 'result').map(({ report }) => report)
  const [first, ...later] = hasSent ? [sent, ...own] : own
  return {
    reports: first === undefined ? [] : [first],
    contradiction: contradiction ?? later.map((other) => contradictionInWord(first, other)).find(Boolean) ?? null,
    missing:
      own.length === brought.length
        ? 'ended without a verdict: report it once, with the tool `report` or the command `agency report --verdict …`'
        : 'a verdict does not count as a printed line or as a file: report it with the tool `report` or the command `agency report --verdict …`',
  }
}

/**
 * Converts the report that a runtime delivers, and redacts it, as the API does with those that it receives. A report that would overflow
 * the stack becomes a text, which is rejected as malformed.
 */
export const readReport = (report: unknown): unknown =>
  isTooDeep(report) ? `nested deeper than ${maxDepth} levels` : redactDeeply(fromWire(Report, report))
