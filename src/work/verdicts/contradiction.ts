import type { Report } from '../attempts/contract.ts'

/** Returns why two reports of a verifier contradict each other; null if the second one only repeats the first. */
export function contradictionOf(first: Report, second: Report): string | null {
  const inWord = contradictionInWord(first, second)
  if (inWord !== null) return inWord
  return JSON.stringify(first.verdict) === JSON.stringify(second.verdict)
    ? null
    : `it reported two different verdicts "${wordOf(first)}"`
}

/**
 * Returns why a later report contradicts the first in its word: pass, partial, fail, or blocked. A closing text may
 * repeat a verdict in short, or mention none.
 */
export function contradictionInWord(first: unknown, second: unknown): string | null {
  const [one, other] = [wordOf(first), wordOf(second)]
  return other === null || one === other ? null : `it reported "${one ?? 'no verdict'}" first and "${other}" later`
}

/** Returns the word of a report that need not be valid; null if it gives neither a verdict nor another end. */
export function wordOf(report: unknown): string | null {
  if (typeof report !== 'object' || report === null) return null
  const { status, verdict } = report as { status?: unknown; verdict?: { verdict?: unknown } | null }
  const word = verdict?.verdict ?? (status === 'done' ? undefined : status)
  return typeof word === 'string' ? word.slice(0, 50) : null
}
