/** Snapshots and caches that a setup works with. This process is the only one that removes them. */
const uses = new Map<string, number>()

/** Protects a directory from `tidySetups` while the work lasts. */
export async function whileInUse<T>(path: string, work: () => Promise<T>): Promise<T> {
  uses.set(path, (uses.get(path) ?? 0) + 1)
  try {
    return await work()
  } finally {
    const left = (uses.get(path) ?? 1) - 1
    if (left === 0) uses.delete(path)
    else uses.set(path, left)
  }
}

export const isInUse = (path: string): boolean => uses.has(path)
