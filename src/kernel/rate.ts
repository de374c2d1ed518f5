import type { Clock } from './clock.ts'

export interface RateLimit {
  /** Reports whether one more is allowed now and, if so, counts it; `cost` is its share, such as its bytes. */
  take(key: string, cost?: number): boolean
}

/** Number of keys that are remembered; a forgotten key starts with a full bucket, which is always in its favour. */
const maxKeys = 10_000

/** Creates a token bucket per key: `burst` tokens at once, refilled at `perSecond`. */
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
    take(key, cost = 1) {
      const nowMs = clock.nowMs()
      const bucket = buckets.get(key) ?? { left: burst, atMs: nowMs }
      // A clock that was set back neither refills the bucket nor empties it.
      const refill = (Math.max(0, nowMs - bucket.atMs) * perSecond) / 1_000
      const left = Math.min(burst, bucket.left + refill)
      buckets.delete(key)
      buckets.set(key, { left: left >= cost ? left - cost : left, atMs: nowMs })
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value as string)
      return left >= cost
    },
  }
}
