import type { Clock } from './clock.ts'

export interface RateLimit {
  /** Whether one more is allowed now; if so, it is counted. */
  take(key: string): boolean
}

/** How many keys are remembered; one that is forgotten starts anew, which only ever favours it. */
const maxKeys = 10_000

/** A bucket per key: `burst` at once, refilled at `perSecond`. */
export function createRateLimit({
  perSecond,
  burst,
  clock,
}: {
  perSecond: number
  burst: number
  clock: Clock
}): RateLimit {
  const buckets = new Map<string, { left: number; atMs: number }>()
  return {
    take(key) {
      const nowMs = clock.nowMs()
      const bucket = buckets.get(key) ?? { left: burst, atMs: nowMs }
      // A clock that was set back refills nothing, and takes nothing away either.
      const refill = (Math.max(0, nowMs - bucket.atMs) * perSecond) / 1_000
      const left = Math.min(burst, bucket.left + refill)
      buckets.delete(key)
      buckets.set(key, { left: left >= 1 ? left - 1 : left, atMs: nowMs })
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value as string)
      return left >= 1
    },
  }
}
