import { Cron } from 'croner'

import { isoAt } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'

const backoffBaseMs = 1_000
const backoffCapMs = 3_600_000

/** The first time of a cron line after `at`, in UTC; null when there is none ever again. */
export function nextScheduled(schedule: string, at: string): string | null {
  let next: Date | null
  try {
    next = new Cron(schedule, { timezone: 'UTC' }).nextRun(new Date(at))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw refusal('invalid_input', `"${schedule}" is not a schedule: ${reason}`, {
      hint: 'Five fields as cron takes them: minute, hour, day, month, weekday, in UTC.',
    })
  }
  return next === null ? null : next.toISOString()
}

/** 1 s, 2 s, 4 s … one hour; no chance in it, so that a simulation repeats. */
export const retryAt = (at: string, tries: number): string =>
  isoAt(Date.parse(at) + Math.min(backoffBaseMs * 2 ** (tries - 1), backoffCapMs))
