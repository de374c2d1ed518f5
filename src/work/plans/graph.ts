/** The fields of a brief that determine its order. */
export interface Ordered {
  readonly key: string
  readonly after: readonly string[]
}

/** Returns the length of the longest path to each brief, from 1. Requires a plan without circles and unknown keys. */
export function levelsOf(briefs: readonly Ordered[]): Map<string, number> {
  const levels = new Map<string, number>()
  for (const brief of topologicalOrder(briefs))
    levels.set(brief.key, 1 + Math.max(0, ...brief.after.map((key) => levels.get(key) ?? 0)))
  return levels
}

/** Returns circles of briefs that wait for each other, as their keys; each brief is in at most one of them. */
export function circlesOf(briefs: readonly Ordered[]): string[][] {
  const left = new Map(briefs.map((brief) => [brief.key, brief]))
  for (const brief of topologicalOrder(briefs)) left.delete(brief.key)
  const circles: string[][] = []
  const seen = new Set<string>()
  for (const start of left.keys()) {
    const trail = new Map<string, number>()
    // Every remaining brief waits for another remaining one, so the walk ends at a key that it has visited.
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

/** Returns the briefs that can be ordered, each after all briefs that it waits for. */
function topologicalOrder(briefs: readonly Ordered[]): Ordered[] {
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
