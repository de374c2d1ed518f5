import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { ChartSeat } from '../../src/org/chart/contract.ts'
import { layoutChart, type Placed } from './layout.ts'
import { fitted } from './viewport.ts'
import { type Direction, seatTowards } from './seat-navigation.ts'

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

/** A lead, its managers, and so on: `span` under each. */
const company = (count: number, span: number): ChartSeat[] =>
  Array.from({ length: count }, (_, index) => seat(index + 1, index === 0 ? null : Math.floor((index - 1) / span) + 1))

/** Any forest: each seat reports to an earlier one, or to the operator. */
const anyChart = fc
  .array(fc.nat(), { maxLength: 120 })
  .map((picks) => picks.map((pick, index) => seat(index + 1, pick % (index + 1) || null)))

const overlap = (a: Placed, b: Placed): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

describe('the layout of a chart', () => {
  it('places every seat once, inside, below its manager, and none on another', () => {
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

  it('is the plain tree for a small organisation: peers side by side, their manager above the middle', () => {
    const { seats } = layoutChart([seat(1, null), seat(2, 1), seat(3, 1), seat(4, 1)])
    const [lead, ...reports] = seats as [Placed, Placed, Placed, Placed]
    expect(new Set(reports.map((each) => each.y)).size).toBe(1)
    expect(lead.x).toBe(reports[1].x)
  })

  it('keeps the order of reading: a seat, then those below it, by level and then as they were made', () => {
    const { seats } = layoutChart([seat(1, null), seat(2, 1, 1, 3), seat(3, 1, 1, 2), seat(4, 3)])
    expect(seats.map((each) => each.seat.positionId)).toEqual([1, 3, 4, 2])
  })

  it('lets 500 seats be seen at once, at a ninth of their size at least, whatever the span', () => {
    for (const span of [2, 4, 7, 12, 30]) {
      const layout = layoutChart(company(500, span))
      expect(fitted(layout, { width: 1_080, height: 620 }).k).toBeGreaterThan(1 / 9)
    }
  })

  it('draws an escalation only where it goes elsewhere than the reports', () => {
    expect(layoutChart([seat(1, null), seat(2, 1)]).escalation).toBe('')
    expect(layoutChart([seat(1, null), seat(2, 1), seat(3, 2, 1)]).escalation.match(/M/g)).toHaveLength(1)
    expect(layoutChart([seat(1, null), seat(2, 1, null)]).escalation.match(/M/g)).toHaveLength(1)
  })

  it('shows seats whose lines go in a circle, or to a seat that is not there', () => {
    const { seats } = layoutChart([seat(1, 2), seat(2, 1), seat(3, 3), seat(4, 99)])
    expect(seats.map((each) => each.seat.positionId).sort()).toEqual([1, 2, 3, 4])
  })

  it('has every seat within reach of the arrow keys', () => {
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
