import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { ChartSeat } from '../../src/org/chart/contract.ts'
import { layoutChart, type Placed } from './layout.ts'
import { type Direction, seatTowards } from './seat-navigation.ts'
import { fitChart } from './viewport.ts'

const seat = (positionId: number, reportsToId: number | null, escalatesToId = reportsToId, level = 1): ChartSeat => ({
  positionId,
  title: `Seat ${positionId}`,
  role: 'developer',
  level,
  isCrossCutting: false,
  isLead: false,
  reportsToId,
  escalatesToId,
  holder: null,
})

/** A lead, its managers, and so on, with `span` reports each. */
const company = (count: number, span: number): ChartSeat[] =>
  Array.from({ length: count }, (_, index) => seat(index + 1, index === 0 ? null : Math.floor((index - 1) / span) + 1))

/** An arbitrary forest: each seat reports to an earlier one, or to the operator. */
const anyChart = fc
  .array(fc.nat(), { maxLength: 120 })
  .map((picks) => picks.map((pick, index) => seat(index + 1, pick % (index + 1) || null)))

const overlap = (a: Placed, b: Placed): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

describe('layoutChart', () => {
  it('places every seat once, inside the chart, below its manager, and no seat on another', () => {
    fc.assert(
      fc.property(anyChart, (seats) => {
        const { seats: placed, width, height } = layoutChart(seats)
        expect(placed.map((each) => each.seat.positionId).sort((a, b) => a - b)).toEqual(
          seats.map((each) => each.positionId),
        )
        const at = new Map(placed.map((each) => [each.seat.positionId, each]))
        for (const [index, each] of placed.entries()) {
          expect(each.x).toBeGreaterThanOrEqual(0)
          expect(each.x + each.width).toBeLessThanOrEqual(width)
          expect(each.y + each.height).toBeLessThanOrEqual(height)
          const manager = at.get(each.seat.reportsToId ?? 0)
          if (manager !== undefined) expect(each.y).toBeGreaterThan(manager.y)
          for (const other of placed.slice(index + 1)) expect(overlap(each, other)).toBe(false)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('draws a small organisation as a plain tree: peers side by side, their manager above the middle', () => {
    const { seats } = layoutChart([seat(1, null), seat(2, 1), seat(3, 1), seat(4, 1)])
    const [lead, ...reports] = seats as [Placed, Placed, Placed, Placed]
    expect(new Set(reports.map((each) => each.y)).size).toBe(1)
    expect(lead.x).toBe(reports[1].x)
  })

  it('returns a seat before its reports, which are ordered by level and then by creation', () => {
    const { seats } = layoutChart([seat(1, null), seat(2, 1, 1, 3), seat(3, 1, 1, 2), seat(4, 3)])
    expect(seats.map((each) => each.seat.positionId)).toEqual([1, 3, 4, 2])
  })

  it('fits 500 seats into a window at a ninth of their size or larger, for every span', () => {
    for (const span of [2, 4, 7, 12, 30]) {
      const layout = layoutChart(company(500, span))
      expect(fitChart(layout, { width: 1_080, height: 620 }).k).toBeGreaterThan(1 / 9)
    }
  })

  it('draws an escalation line only if it differs from the reporting line', () => {
    expect(layoutChart([seat(1, null), seat(2, 1)]).escalation).toBe('')
    expect(layoutChart([seat(1, null), seat(2, 1), seat(3, 2, 1)]).escalation.match(/M/g)).toHaveLength(1)
    expect(layoutChart([seat(1, null), seat(2, 1, null)]).escalation.match(/M/g)).toHaveLength(1)
  })

  it('includes seats whose reporting lines form a cycle or lead to a missing seat', () => {
    const { seats } = layoutChart([seat(1, 2), seat(2, 1), seat(3, 3), seat(4, 99)])
    expect(seats.map((each) => each.seat.positionId).sort()).toEqual([1, 2, 3, 4])
  })

  it('lets the arrow keys reach every seat', () => {
    for (const [count, span] of [
      [6, 3],
      [40, 4],
      [500, 7],
    ] as const) {
      const { seats } = layoutChart(company(count, span))
      const reached = new Set<Placed>(seats.slice(0, 1))
      for (const from of reached)
        for (const direction of ['up', 'down', 'left', 'right'] satisfies Direction[]) {
          const next = seatTowards(seats, from, direction)
          if (next !== null) reached.add(next)
        }
      expect(reached.size).toBe(count)
    }
  })
})
