import { humanise } from '../text.ts'
import type { Line } from './log.ts'

/**
 * The number that identifies a line: its `seq` within a run, or its `position` in the feed of all events. Both rise
 * from line to line.
 */
export type LineKey = 'seq' | 'position'

export interface Filter {
  all: boolean
  text: string
  kinds: readonly string[] | undefined
  upTo: number | null
  lineKey: LineKey
}

export function filterLines(lines: readonly Line[], { all, text, kinds, upTo, lineKey }: Filter): readonly Line[] {
  if (all && text === '' && kinds === undefined && upTo === null) return lines
  // One regular expression tested on 100,000 lines copies none of them, as lower-casing each would.
  const wanted = text === '' ? null : new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i')
  return lines.filter(
    (line) =>
      (all || line.level === 'normal') &&
      (upTo === null || line[lineKey] <= upTo) &&
      (kinds === undefined || kinds.includes(line.kind)) &&
      (wanted === null ||
        wanted.test(line.message) ||
        wanted.test(line.code ?? '') ||
        wanted.test(humanise(line.kind))),
  )
}

export const lineAt = (lines: readonly Line[], lineKey: LineKey, at: number): Line | undefined => {
  const line = lines[indexAt(lines, lineKey, at)]
  return line?.[lineKey] === at ? line : undefined
}

export const countAfter = (lines: readonly Line[], lineKey: LineKey, at: number): number =>
  lines.length - indexAt(lines, lineKey, at + 1)

/** Returns the index of the first line at or after a number, by binary search: the numbers rise. */
export function indexAt(lines: readonly Line[], lineKey: LineKey, at: number): number {
  let low = 0
  let high = lines.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((lines[middle]?.[lineKey] ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}
