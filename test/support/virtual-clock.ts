import { type Clock, isoAt } from '../../src/kernel/clock.ts'

export interface VirtualClock extends Clock {
  /** Advances the time; every timer that becomes due fires at its own time, in order. */
  advance(ms: number): void
  /** Sets the wall clock forwards or backwards, as an administrator does; fires no timer. */
  jump(ms: number): void
  /** Milliseconds until the next timer fires; null if none is set. */
  untilNext(): number | null
  /** Number of timers that are set. */
  timers(): number
}

/** Creates a clock that only the test advances. */
export function createVirtualClock(start = '2030-01-01T00:00:00.000Z'): VirtualClock {
  let nowMs = Date.parse(start)
  let elapsedMs = 0
  let text = isoAt(nowMs)
  let textMs = nowMs
  /** Sorted by time, then by the order in which they were set. */
  const timers: Timer[] = []

  const fireUntil = (endMs: number): void => {
    for (let next = timers[0]; next !== undefined && next.dueMs <= endMs; next = timers[0]) {
      timers.shift()
      pass(next.dueMs)
      next.callback()
    }
  }
  const pass = (untilMs: number): void => {
    nowMs += untilMs - elapsedMs
    elapsedMs = untilMs
  }

  return {
    nowMs: () => nowMs,
    at: () => {
      if (textMs !== nowMs) [textMs, text] = [nowMs, isoAt(nowMs)]
      return text
    },
    after(ms, callback) {
      const timer: Timer = { dueMs: elapsedMs + Math.max(ms, 0), callback }
      let index = timers.length
      while (index > 0 && (timers[index - 1] as Timer).dueMs > timer.dueMs) index--
      timers.splice(index, 0, timer)
      return () => {
        const at = timers.indexOf(timer)
        if (at >= 0) timers.splice(at, 1)
      }
    },
    advance(ms) {
      const endMs = elapsedMs + ms
      fireUntil(endMs)
      pass(endMs)
    },
    jump(ms) {
      nowMs += ms
    },
    untilNext: () => (timers[0] === undefined ? null : timers[0].dueMs - elapsedMs),
    timers: () => timers.length,
  }
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}
