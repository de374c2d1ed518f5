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
  let made = 0
  const timers = new Map<number, { dueMs: number; callback: () => void }>()

  const first = () => [...timers].sort(byDueTime)[0]
  const fireUntil = (endMs: number): void => {
    for (;;) {
      const next = first()
      if (next === undefined || next[1].dueMs > endMs) return
      const [id, timer] = next
      timers.delete(id)
      pass(timer.dueMs)
      timer.callback()
    }
  }
  const pass = (untilMs: number): void => {
    nowMs += untilMs - elapsedMs
    elapsedMs = untilMs
  }

  return {
    nowMs: () => nowMs,
    at: () => isoAt(nowMs),
    after(ms, callback) {
      const id = ++made
      timers.set(id, { dueMs: elapsedMs + Math.max(ms, 0), callback })
      return () => timers.delete(id)
    },
    advance(ms) {
      const endMs = elapsedMs + ms
      fireUntil(endMs)
      pass(endMs)
    },
    jump(ms) {
      nowMs += ms
    },
    untilNext() {
      const next = first()
      return next === undefined ? null : next[1].dueMs - elapsedMs
    },
    timers: () => timers.size,
  }
}

type Entry = [id: number, timer: { dueMs: number }]

/** Orders by time, then by the order in which they were set, since ids ascend. */
const byDueTime = ([idA, a]: Entry, [idB, b]: Entry): number => a.dueMs - b.dueMs || idA - idB
