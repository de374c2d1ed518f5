import type { Line } from './log.ts'
import { humanise } from '../text.ts'

/** What identifies a line: its number within a run, or its place in the feed of everything. Both rise from line to line. */
export type LineKey = 'seq' | 'position'

export interface Filter {
  all: boolean
  text: string
  kinds: readonly string[] | undefined
  upTo: number | null
  place: LineKey
}

export function filtered(lines: readonly Line[], { all, text, kinds, upTo, place }: Filter): readonly Line[] {
  if (all && text === '' && kinds === undefined && upTo === null) return lines
  // One expression tried on 100,000 lines makes no copies of them, as lower-casing each would.
  const wanted = text === '' ? null : new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i')
  return lines.filter(
    (line) =>
      (all || line.level === 'normal') &&
      (upTo === null || line[place] <= upTo) &&
      (kinds === undefined || kinds.includes(line.kind)) &&
      (wanted === null ||
        wanted.test(line.message) ||
        wanted.test(line.code ?? '') ||
        wanted.test(humanise(line.kind))),
  )
}

export const lineAt = (lines: readonly Line[], place: LineKey, at: number): Line | undefined => {
  const line = lines[indexAt(lines, place, at)]
  return line?.[place] === at ? line : undefined
}

export const countAfter = (lines: readonly Line[], place: LineKey, at: number): number =>
  lines.length - indexAt(lines, place, at + 1)

/** The first line at or after a place; places rise, so by halves. */
export function indexAt(lines: readonly Line[], place: LineKey, at: number): number {
  let low = 0
  let high = lines.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((lines[middle]?.[place] ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}
