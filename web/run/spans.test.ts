import { describe, expect, it } from 'vitest'

import type { Inspection } from '../queries.ts'
import { ticksOf, timelineOf } from './spans.ts'

const time = (second: number): string => new Date(second * 1_000).toISOString()
const inspection = (over: object): Inspection =>
  ({
    run: { id: 'run_a', startedAt: time(0), endedAt: time(100) },
    briefs: [
      { id: 'brf_a', title: 'A', verifies: null },
      { id: 'brf_b', title: 'B', verifies: null },
      { id: 'brf_v', title: 'Verify A', verifies: 'brf_a' },
    ],
    attempts: [],
    gates: [],
    questions: [],
    ...over,
  }) as unknown as Inspection
const attempt = (id: string, briefId: string, from: number, to: number | null, outcome: string | null = 'ok') => ({
  id,
  briefId,
  createdAt: time(from),
  startedAt: time(from),
  endedAt: to === null ? null : time(to),
  outcome,
  status: to === null ? 'running' : 'ended',
  detail: null,
})

describe('timelineOf', () => {
  it('has a lane for every brief with attempts, and its verifier below', () => {
    const attempts = [
      attempt('att_1', 'brf_a', 0, 10, 'bad_output'),
      attempt('att_2', 'brf_a', 10, 30),
      attempt('att_v', 'brf_v', 30, 40),
    ]
    const { lanes, worked, again } = timelineOf(inspection({ attempts }), 0)
    expect(lanes.map(({ title, inner }) => [title, inner])).toEqual([
      ['A', false],
      ['Verify A', true],
    ])
    expect(lanes[0]?.spans.map(({ tone }) => tone)).toEqual(['bad', 'good'])
    expect({ worked, again }).toEqual({ worked: 40_000, again: 20_000 })
  })

  it('counts time during which two decisions were pending once', () => {
    const gates = [
      { id: 'gat_a', gate: 'plan', status: 'approved', by: 'operator', pendingSince: time(0), decidedAt: time(20) },
    ]
    const questions = [{ id: 'qst_a', text: '?', options: [], answer: null, createdAt: time(10), answeredAt: time(30) }]
    const { lanes, waited } = timelineOf(inspection({ gates, questions }), 0)
    expect(lanes[0]?.spans).toHaveLength(2)
    expect(waited).toBe(30_000)
  })

  it('extends to the present while the run is open', () => {
    const open = inspection({
      run: { id: 'run_a', startedAt: time(0), endedAt: null },
      attempts: [attempt('att_1', 'brf_a', 5, null, null)],
    })
    const { end, worked } = timelineOf(open, 50_000)
    expect({ end, worked }).toEqual({ end: 50_000, worked: 45_000 })
  })
})

it('returns two to eight round ticks for any length', () => {
  for (const length of [40, 900, 14_000, 300_000, 7_200_000, 5 * 86_400_000, 400 * 86_400_000]) {
    const ticks = ticksOf(length)
    expect(ticks[0]).toBe(0)
    expect(ticks.length).toBeGreaterThan(1)
    expect(ticks.length).toBeLessThan(9)
    expect(ticks.at(-1)).toBeLessThanOrEqual(length)
  }
})
