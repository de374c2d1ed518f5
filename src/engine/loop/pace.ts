import type { Clock } from '../../kernel/clock.ts'

/** How long a process waits before it looks for work again that other processes may have made ready. */
const pauseMs = 250

export interface Pace {
  /** Another process may have made work ready. */
  heard(): void
  /** Work was found here: there may be more, so the next commit is not waited out. */
  found(): void
  stop(): void
}

/**
 * Limits how often the commits of other processes make this one look for work: the first one at once, those that follow
 * without any success together. An idle process beside a busy one would otherwise query the store after every commit.
 */
export function createPace(clock: Clock, look: () => void): Pace {
  let cancel: (() => void) | null = null
  let isAsked = false

  function heard(): void {
    if (cancel !== null) {
      isAsked = true
      return
    }
    cancel = clock.after(pauseMs, () => {
      cancel = null
      if (!isAsked) return
      isAsked = false
      heard()
    })
    look()
  }

  function stop(): void {
    cancel?.()
    cancel = null
    isAsked = false
  }

  return { heard, found: stop, stop }
}
