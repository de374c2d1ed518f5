export interface Clock {
  nowMs(): number
  /** Returns the current time as fixed-width ISO text in UTC, the only form of a time that reaches the store. */
  at(): string
  /** Calls back once after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void
}

export const isoAt = (ms: number): string => new Date(ms).toISOString()

let lastMs = 0
let lastText = isoAt(0)

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  // Many transactions share a millisecond, and its text costs more than a statement.
  at: () => {
    const nowMs = Date.now()
    if (nowMs !== lastMs) [lastMs, lastText] = [nowMs, isoAt(nowMs)]
    return lastText
  },
  after: (ms, callback) => {
    // In Node, timers longer than a signed 32-bit number of milliseconds fire at once; no timer of ours is that long.
    const timer = setTimeout(callback, Math.min(ms, 2 ** 31 - 1))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

export const sleep = (clock: Clock, ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve))

/** Waits like `sleep`, but keeps the process alive meanwhile: for a command that has no other open handle. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
