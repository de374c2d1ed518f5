import type { Clock } from '../../kernel/clock.ts'
import type { RunConfiguration } from '../../work/runs/contract.ts'

/** An attempt that is silent for too long, or lasts too long, is ended. `touch` starts the idle time anew. */
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
 * Counts ticks and never asks what time it is: a clock that is set forward must not end an agent, nor one set back
 * spare it. A restart is one number and no new timer, because it happens with every line of output; it comes up to one
 * tick late for that, never early.
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
