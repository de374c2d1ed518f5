export interface Queue {
  /** Resolves, when it is its turn, to the function that ends the turn; null if too many wait already. */
  take(): Promise<() => void> | null
}

/** Creates a queue: a fixed number of turns at the same time, and the work that waits longest is next. */
export function createQueue({ atOnce, maxWaiting }: { atOnce: number; maxWaiting: number }): Queue {
  const waiting: (() => void)[] = []
  let running = 0
  const turn = (): (() => void) => {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
  return {
    take() {
      if (running < atOnce) {
        running += 1
        return Promise.resolve(turn())
      }
      if (waiting.length >= maxWaiting) return null
      return new Promise<void>((resolve) => waiting.push(resolve)).then(turn)
    },
  }
}
