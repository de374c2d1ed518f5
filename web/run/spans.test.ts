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
  it('leaves the time without agents out of the axis on request', () => {
    const attempts = [attempt('att_1', 'brf_a', 10, 20), attempt('att_2', 'brf_b', 80, 90)]
    const gates = [
      { id: 'gat_1', gate: 'plan', pendingSince: time(20), decidedAt: time(80), status: 'approved', by: 'operator' },
    ]
    const all = timelineOf(inspection({ attempts, gates }), 0)
    expect([all.length, all.idle, all.lanes.length]).toEqual([100_000, 80_000, 3])
    expect(all.place(80_000)).toBe(0.8)
    const short = timelineOf(inspection({ attempts, gates }), 0, { hideWaiting: true })
    expect(short.length).toBe(20_000)
    expect(short.lanes.map(({ title }) => title)).toEqual(['A', 'B'])
    expect([10_000, 20_000, 50_000, 80_000, 90_000, 100_000].map(short.place)).toEqual([0, 0.5, 0.5, 0.5, 1, 1])
    expect(short.hidden).toHaveLength(3)
  })

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
