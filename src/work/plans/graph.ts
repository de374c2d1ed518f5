/** The part of a brief that orders it among the others. */
export interface Ordered {
  readonly key: string
  readonly after: readonly string[]
}

/** How long the longest way to each brief is, from 1. Of a plan without circles and without unknown keys. */
export function levelsOf(briefs: readonly Ordered[]): Map<string, number> {
  const levels = new Map<string, number>()
  for (const brief of inOrder(briefs))
    levels.set(brief.key, 1 + Math.max(0, ...brief.after.map((key) => levels.get(key) ?? 0)))
  return levels
}

/** Circles of briefs that wait for each other, as the keys on them; each brief is on one of them at most. */
export function circlesOf(briefs: readonly Ordered[]): string[][] {
  const left = new Map(briefs.map((brief) => [brief.key, brief]))
  for (const brief of inOrder(briefs)) left.delete(brief.key)
  const circles: string[][] = []
  const seen = new Set<string>()
  for (const start of left.keys()) {
    const trail = new Map<string, number>()
    // Every brief that is left waits for another that is left, so the walk ends where it has been before.
    let key: string | undefined = start
    while (key !== undefined && !trail.has(key) && !seen.has(key)) {
      trail.set(key, trail.size)
      key = left.get(key)?.after.find((each) => left.has(each))
    }
    if (key !== undefined && trail.has(key)) circles.push([...trail.keys()].slice(trail.get(key)))
    for (const each of trail.keys()) seen.add(each)
  }
  return circles
}

/** Those that can be ordered, each after everything that it waits for. */
function inOrder(briefs: readonly Ordered[]): Ordered[] {
  const waiting = new Map(briefs.map((brief) => [brief.key, new Set(brief.after).size]))
  const dependents = new Map<string, Ordered[]>()
  for (const brief of briefs)
    for (const key of new Set(brief.after)) {
      const known = dependents.get(key)
      if (known === undefined) dependents.set(key, [brief])
      else known.push(brief)
    }
  const free = briefs.filter((brief) => brief.after.length === 0)
  for (const brief of free)
    for (const next of dependents.get(brief.key) ?? []) {
      const left = (waiting.get(next.key) as number) - 1
      waiting.set(next.key, left)
      if (left === 0) free.push(next)
    }
  return free
}
