import { shorten } from '../../../kernel/text.ts'
import type { Limited } from '../port.ts'

/** The provider's error, as far as the agent passed it on. */
export interface ProviderError {
  readonly status: number | null
  readonly text: string
  /** The time when the limit ends, in seconds since 1970; null if not stated. */
  readonly resetsAt: number | null
  /** The delay before its last retry. */
  readonly lastDelayMs: number | null
}

/** Returns a limit for 429 and 529, and for a used-up subscription with any status; null for other errors. */
export function limitedBy({ status, text, resetsAt, lastDelayMs }: ProviderError, nowMs: number): Limited | null {
  if (status !== 429 && status !== 529 && !/\b(usage|session|weekly|5-hour) limit\b/i.test(text)) return null
  const stampedAt = /\|(\d{10})\b/.exec(text)?.[1]
  const until = stampedAt === undefined ? resetsAt : Number(stampedAt)
  const seconds = until === null ? secondsUntilClockTime(text, nowMs) : Math.ceil(until - nowMs / 1_000)
  const waited = lastDelayMs === null ? null : Math.ceil(lastDelayMs / 1_000)
  return { seconds: seconds !== null && seconds > 0 ? seconds : waited, reason: shorten(text, 300) }
}

/** Parses `resets 3:30pm (Europe/Berlin)` as the next time that a clock there shows it. */
function secondsUntilClockTime(text: string, nowMs: number): number | null {
  const match = /resets (?:at )?(\d{1,2})(?::(\d{2}))? ?(am|pm)(?: \(([\w/+-]+)\))?/i.exec(text)
  if (match === null) return null
  const [, hour, minute = '0', half, zone = 'UTC'] = match
  const target = ((Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0)) * 60 + Number(minute)
  const now = minuteOfDay(nowMs, zone)
  if (now === null) return null
  return ((target - now + 1_440) % 1_440 || 1_440) * 60
}

function minuteOfDay(nowMs: number, timeZone: string): number | null {
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hour12: false })
    const [hour, minute] = format.format(nowMs).split(':').map(Number)
    return ((hour ?? 0) % 24) * 60 + (minute ?? 0)
  } catch {
    return null
  }
}
