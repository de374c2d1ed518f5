import { nearest } from '../kernel/nearest.ts'
import type { Fault } from './contract.ts'

/** The line and column of a document, both from 1. */
export interface SourceLocation {
  readonly line: number
  readonly column: number
}

export const firstLine: SourceLocation = { line: 1, column: 1 }

/** The limit of faults per document: a person does not correct more at once. */
export const maxFaults = 200

export const createFault = (
  message: string,
  location: SourceLocation | null,
  subject: string | null,
  severity: Fault['severity'] = 'error',
): Fault => ({
  severity,
  // A name in the file may have several lines; a fault has one.
  message: message.replaceAll(/(?<!\s)\s*[\r\n]\s*/g, ' '),
  line: location?.line ?? null,
  column: location?.column ?? null,
  subject,
})

/** Orders faults by their location in the document and drops those over the limit. */
export const sortFaults = (faults: readonly Fault[]): Fault[] =>
  faults.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)).slice(0, maxFaults)

/** Returns `; did you mean "…"?` with the nearest known word, or an empty text. */
export const didYouMean = (typed: string, known: Iterable<string>): string => {
  // Comparing costs the product of the lengths, and no word that a document may use is this long.
  const guess = typed.length > 200 ? null : nearest(typed, known)
  return guess === null ? '' : `; did you mean "${guess}"?`
}
