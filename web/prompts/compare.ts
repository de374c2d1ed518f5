export interface ComparedLine {
  readonly sign: ' ' | '+' | '-'
  readonly text: string
}

/** Above this many comparisons, everything between the common beginning and the common end counts as replaced. */
const mostComparisons = 4_000_000

/** Compares two texts line by line. */
export function compare(before: string, after: string): ComparedLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  const same = (text: string): ComparedLine => ({ sign: ' ', text })
  return [
    ...a.slice(0, start).map(same),
    ...compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ]
}

function compareMiddle(a: readonly string[], b: readonly string[]): ComparedLine[] {
  const removed = a.map((text): ComparedLine => ({ sign: '-', text }))
  const added = b.map((text): ComparedLine => ({ sign: '+', text }))
  if (a.length === 0 || b.length === 0 || a.length * b.length > mostComparisons) return [...removed, ...added]
  // The length of the longest common part of the ends of both, from each pair of lines on.
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: ComparedLine[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i] ?? '' })
      i += 1
      j += 1
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1)))
      lines.push({ sign: '-', text: a[i++] ?? '' })
    else lines.push({ sign: '+', text: b[j++] ?? '' })
  }
  return lines
}

/** The number of unchanged lines that are shown around a change. */
const around = 3

/** Returns the changed lines with their surroundings; null stands for unchanged lines that are left out. */
export function changesOf(lines: readonly ComparedLine[]): (ComparedLine | null)[] {
  const near = new Set(
    lines.flatMap(({ sign }, index) =>
      sign === ' ' ? [] : Array.from({ length: 2 * around + 1 }, (_, offset) => index - around + offset),
    ),
  )
  return lines.flatMap((line, index) => (near.has(index) ? [line] : index === 0 || near.has(index - 1) ? [null] : []))
}
