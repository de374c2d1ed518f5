/** Deeper than any valid input, and far below the depth that overflows a stack. */
export const maxDepth = 64

/** Reports whether a JSON value is nested more deeply than any valid input. */
export function isTooDeep(value: unknown): boolean {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.value === null || typeof next.value !== 'object') continue
    if (next.depth === maxDepth) return true
    for (const item of Object.values(next.value)) open.push({ value: item, depth: next.depth + 1 })
  }
  return false
}
