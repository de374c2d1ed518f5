/** Returns the known name that is probably meant by a mistyped one, or null when none is near. */
export function nearest(typed: string, known: Iterable<string>): string | null {
  let best: string | null = null
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1
  for (const name of known) {
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase())
    if (distance < least) {
      best = name
      least = distance
    }
  }
  return best
}

/** Counts insertions, deletions, replacements and swapped neighbours (the commonest slip) as one each. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min(replaced, at(previous, j) + 1, at(row, j - 1) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(before, j - 2) + 1)
      row.push(cost)
    }
    before = previous
    previous = row
  }
  return at(previous, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY
