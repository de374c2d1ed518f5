import { shorten } from '../../../kernel/text.ts'
import type { Limited } from '../port.ts'

/** What the agent was told when its provider took no more calls, as far as it passed that on. */
export interface Refused {
  readonly status: number | null
  readonly text: string
  /** When it is to end, in seconds since 1970; null: not said. */
  readonly resetsAt: number | null
  /** How long it waited before it tried the last time. */
  readonly lastDelayMs: number | null
}

/** 429 and 529 are the provider's; so is a subscription that is used up, whatever its status. */
export function limitedBy({ status, text, resetsAt, lastDelayMs }: Refused, nowMs: number): Limited | null {
  if (status !== 429 && status !== 529 && !/\b(usage|session|weekly|5-hour) limit\b/i.test(text)) return null
  const stampedAt = /\|(\d{10})\b/.exec(text)?.[1]
  const until = stampedAt === undefined ? resetsAt : Number(stampedAt)
  const seconds = until === null ? secondsUntilClockTime(text, nowMs) : Math.ceil(until - nowMs / 1_000)
  const waited = lastDelayMs === null ? null : Math.ceil(lastDelayMs / 1_000)
  return { seconds: seconds !== null && seconds > 0 ? seconds : waited, reason: shorten(text, 300) }
}

/** `resets 3:30pm (Europe/Berlin)`: the next time that a clock there shows it. */
function secondsUntilClockTime(text: string, nowMs: number): number | null {
  const said = /resets (?:at )?(\d{1,2})(?::(\d{2}))? ?(am|pm)(?: \(([\w/+-]+)\))?/i.exec(text)
  if (said === null) return null
  const [, hour, minute = '0', half, zone = 'UTC'] = said
  const wanted = ((Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0)) * 60 + Number(minute)
  const now = minuteOfDay(nowMs, zone)
  if (now === null) return null
  return ((wanted - now + 1_440) % 1_440 || 1_440) * 60
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
