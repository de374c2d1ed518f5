import type { Clock } from '../../kernel/clock.ts'
import type { RunConfiguration } from '../../work/runs/contract.ts'

/** Ends an attempt that is silent for too long or lasts too long. `touch` restarts the idle deadline. */
export function watchDeadlines(
  clock: Clock,
  limits: Pick<RunConfiguration, 'idleMinutes' | 'hardMinutes'>,
  stop: (why: 'deadline_idle' | 'deadline_hard') => void,
): { touch(): void; cancel(): void } {
  const idle = countDown(clock, limits.idleMinutes, () => stop('deadline_idle'))
  const hard = countDown(clock, limits.hardMinutes, () => stop('deadline_hard'))
  return {
    touch: idle.restart,
    cancel: () => {
      idle.cancel()
      hard.cancel()
    },
  }
}

/** Also keeps each timer of the longest deadline below the 24.8 days that a timer can last. */
const ticks = 6

/**
 * Counts ticks instead of reading the time, because a change of the system clock must neither end an agent nor extend
 * its deadline. A restart happens with every line of output, so it sets one number instead of a new timer; the deadline
 * comes up to one tick late for that, never early.
 */
function countDown(clock: Clock, minutes: number | null, done: () => void): { restart(): void; cancel(): void } {
  if (minutes === null) return { restart: () => {}, cancel: () => {} }
  let left = ticks
  let cancel = (): void => {}
  const tick = (): void => {
    cancel = clock.after((minutes * 60_000) / ticks, () => {
      left--
      if (left === 0) done()
      else tick()
    })
  }
  tick()
  return {
    restart: () => {
      left = ticks + 1
    },
    cancel: () => cancel(),
  }
}
