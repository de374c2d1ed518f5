import { Cron } from 'croner'

import { isoAt } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'

const backoffBaseMs = 1_000
const backoffCapMs = 3_600_000

/** Returns the first time of a cron line after `at`, in UTC, or null if there is none. */
export function nextScheduled(schedule: string, at: string): string | null {
  let next: Date | null
  try {
    // With the name of a time zone instead of an offset, the first call loads the zones, a tenth of a daemon's start.
    next = new Cron(schedule, { utcOffset: 0 }).nextRun(new Date(at))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw refusal('invalid_input', `"${schedule}" is not a schedule: ${reason}`, {
      hint: 'Use the five fields of cron: minute, hour, day, month, weekday, in UTC.',
    })
  }
  return next === null ? null : next.toISOString()
}

/** The waits before the second and each later try; the last one is repeated. */
export type Backoff = readonly [firstMs: number, ...laterMs: number[]]

/**
 * Returns the time of the next try after so many failures, by default 1 s, 2 s, 4 s … one hour; without jitter, so that a
 * simulation is reproducible.
 */
export function retryAt(at: string, failures: number, backoff?: Backoff): string {
  const waitMs =
    backoff === undefined
      ? Math.min(backoffBaseMs * 2 ** (failures - 1), backoffCapMs)
      : (backoff[Math.min(failures, backoff.length) - 1] as number)
  return isoAt(Date.parse(at) + waitMs)
}
