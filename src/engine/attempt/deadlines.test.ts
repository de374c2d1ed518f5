import { expect, it } from 'vitest'

import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { watchDeadlines } from './deadlines.ts'

const minute = 60_000

function watched(idleMinutes: number | null, hardMinutes: number | null) {
  const clock = createVirtualClock()
  const stops: string[] = []
  const deadlines = watchDeadlines(clock, { idleMinutes, hardMinutes }, (why) => stops.push(why))
  return { clock, stops, ...deadlines }
}

it('stops an agent that is silent for the idle time', () => {
  const { clock, stops } = watched(30, null)
  clock.advance(30 * minute - 1)
  expect(stops).toEqual([])
  clock.advance(1)
  expect(stops).toEqual(['deadline_idle'])
})

it('never stops an agent that prints regularly, and never stops one early', () => {
  const { clock, stops, touch } = watched(30, null)
  for (let words = 0; words < 20; words++) {
    clock.advance(29 * minute)
    touch()
  }
  clock.advance(30 * minute - 1)
  expect(stops).toEqual([])
  clock.advance(5 * minute + 1)
  expect(stops).toEqual(['deadline_idle'])
})

it('stops an agent at the hard deadline, independent of its output', () => {
  const { clock, stops, touch } = watched(30, 240)
  for (let quarters = 0; quarters < 16; quarters++) {
    expect(stops).toEqual([])
    clock.advance(15 * minute)
    touch()
  }
  expect(stops).toEqual(['deadline_hard'])
})

it('sets no deadline if none is configured', () => {
  const { clock, stops, touch } = watched(null, null)
  touch()
  clock.advance(100_000 * minute)
  expect(stops).toEqual([])
  expect(clock.timers()).toBe(0)
})

it('neither stops an agent early nor misses one after a change of the clock', () => {
  for (const jumpMs of [365 * 24 * 60 * minute, -365 * 24 * 60 * minute]) {
    const { clock, stops } = watched(30, 240)
    clock.advance(10 * minute)
    clock.jump(jumpMs)
    clock.advance(19 * minute)
    expect(stops).toEqual([])
    clock.advance(1 * minute)
    expect(stops).toEqual(['deadline_idle'])
  }
})

it('sets no timer that is longer than a timer can be', () => {
  const clock = createVirtualClock()
  const lengths: number[] = []
  const measuring = {
    ...clock,
    after: (ms: number, callback: () => void) => (lengths.push(ms), clock.after(ms, callback)),
  }
  const stops: string[] = []
  watchDeadlines(measuring, { idleMinutes: null, hardMinutes: 100_000 }, (why) => stops.push(why))
  clock.advance(100_000 * minute - 1)
  expect(stops).toEqual([])
  clock.advance(1)
  expect(stops).toEqual(['deadline_hard'])
  expect(Math.max(...lengths)).toBeLessThan(2 ** 31)
})

it('leaves no timer behind', () => {
  const { clock, cancel } = watched(30, 240)
  clock.advance(20 * minute)
  cancel()
  expect(clock.timers()).toBe(0)
})
