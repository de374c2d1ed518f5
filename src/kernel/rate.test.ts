import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import { createRateLimit } from './rate.ts'

describe('a rate limit', () => {
  const takes = (take: () => boolean, count: number): number =>
    Array.from({ length: count }, take).filter(Boolean).length

  it('allows a burst, then as many requests as have been refilled', () => {
    const clock = createVirtualClock()
    const limit = createRateLimit({ perSecond: 2, burst: 5, clock })
    expect(takes(() => limit.take('a'), 9)).toBe(5)
    clock.advance(1_500)
    expect(takes(() => limit.take('a'), 9)).toBe(3)
    clock.advance(60_000)
    expect(takes(() => limit.take('a'), 9)).toBe(5)
  })

  it('counts each key separately', () => {
    const limit = createRateLimit({ perSecond: 1, burst: 1, clock: createVirtualClock() })
    expect([limit.take('a'), limit.take('b'), limit.take('a')]).toEqual([true, true, false])
  })

  it('refills nothing when the clock is set back', () => {
    const clock = createVirtualClock()
    const limit = createRateLimit({ perSecond: 1, burst: 2, clock })
    expect(takes(() => limit.take('a'), 3)).toBe(2)
    clock.jump(-3_600_000)
    expect(limit.take('a')).toBe(false)
    clock.advance(1_000)
    expect(limit.take('a')).toBe(true)
  })
})
