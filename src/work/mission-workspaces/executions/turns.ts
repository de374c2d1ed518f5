/**
 * Serialises the use of a workspace in this process: each user waits until all earlier ones have left. See also
 * `queue.ts`.
 */
export interface Turns {
  /** Resolves when it is the caller's turn, to a function that ends the turn. */
  take(workspace: string): Promise<() => void>
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>()
  return {
    async take(workspace) {
      const before = last.get(workspace)
      const { promise: left, resolve: leave } = Promise.withResolvers<void>()
      last.set(workspace, left)
      await before
      return () => {
        if (last.get(workspace) === left) last.delete(workspace)
        leave()
      }
    },
  }
}
