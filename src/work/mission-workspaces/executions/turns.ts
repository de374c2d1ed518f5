/** Whose turn it is in a workspace: whoever comes waits until everybody before has gone. In this process; see `queue.ts`. */
export interface Turns {
  /** Resolves when it is this one's turn, to what ends it. */
  take(place: string): Promise<() => void>
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>()
  return {
    async take(place) {
      const before = last.get(place)
      const { promise: gone, resolve: leave } = Promise.withResolvers<void>()
      last.set(place, gone)
      await before
      return () => {
        if (last.get(place) === gone) last.delete(place)
        leave()
      }
    },
  }
}
