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

export function filterLines(lines: readonly Line[], { upTo, lineKey, ...filter }: Filter): readonly Line[] {
  const matches = createMatcher(filter)
  if (matches === null && upTo === null) return lines
  return lines.filter((line) => (upTo === null || line[lineKey] <= upTo) && (matches === null || matches(line)))
}

/** Returns the test of a line by level, kind and text; null if every line passes. */
export function createMatcher({
  all,
  text,
  kinds,
}: Pick<Filter, 'all' | 'text' | 'kinds'>):
  ((line: Pick<Line, 'level' | 'kind' | 'message' | 'code'>) => boolean) | null {
  if (all && text === '' && kinds === undefined) return null
  // One regular expression tested on 100,000 lines copies none of them, as lower-casing each would.
  const wanted = text === '' ? null : new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i')
  return (line) =>
    (all || line.level === 'normal') &&
    (kinds === undefined || kinds.includes(line.kind)) &&
    (wanted === null || wanted.test(line.message) || wanted.test(line.code ?? '') || wanted.test(humanise(line.kind)))
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
