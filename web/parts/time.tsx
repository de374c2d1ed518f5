import { nowMs, useSecond } from '../clock.ts'
import { age, clockTime, duration, exactTime, runningDuration } from '../text.ts'

/** Shows the age of a time, with the exact time on hover. */
export function Ago({ at }: { at: string }) {
  const now = useSecond()
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={exactTime(ms)}>
      {age(now - ms)}
    </time>
  )
}

/** Shows the duration of a period; without an end, the time elapsed so far. */
export function Duration({ from, to }: { from: string; to: string | null }) {
  return to === null ? (
    <Elapsed from={from} />
  ) : (
    <span title={spanOf(from, to)}>{duration(Date.parse(to) - Date.parse(from))}</span>
  )
}

function Elapsed({ from }: { from: string }) {
  useSecond()
  return <span title={`since ${exactTime(Date.parse(from))}`}>{runningDuration(nowMs() - Date.parse(from))}</span>
}

const spanOf = (from: string, to: string): string => `${exactTime(Date.parse(from))} to ${clockTime(Date.parse(to))}`
