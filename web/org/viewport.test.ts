import { describe, expect, it } from 'vitest'

import { centreOn, fitChart, panBy, reveal, zoomBy } from './viewport.ts'

const chart = { width: 4_000, height: 1_000 }
const window = { width: 1_000, height: 600 }
const seat = { x: 3_000, y: 800, width: 200, height: 72 }
const seen = (view: { x: number; y: number; k: number }, x: number, y: number) => ({
  x: Math.round(view.x + view.k * x),
  y: Math.round(view.y + view.k * y),
})

describe('viewport of a chart', () => {
  it('fits a large chart into the window, and does not enlarge a small one', () => {
    const view = fitChart(chart, window)
    expect(seen(view, 0, 0).x).toBeGreaterThan(0)
    expect(seen(view, chart.width, 0).x).toBeLessThan(window.width)
    expect(fitChart({ width: 200, height: 100 }, window).k).toBe(1)
  })

  it('keeps the point under the pointer in place while zooming', () => {
    const before = { x: -300, y: 20, k: 0.5 }
    const at = { x: 400, y: 300 }
    const point = { x: (at.x - before.x) / before.k, y: (at.y - before.y) / before.k }
    expect(seen(zoomBy(before, 1.5, at, chart, window), point.x, point.y)).toEqual(at)
  })

  it('keeps part of the chart in the window, however far it is dragged or zoomBy', () => {
    for (const [dx, dy] of [
      [1e6, 1e6],
      [-1e6, -1e6],
    ] as const) {
      const view = panBy(fitChart(chart, window), dx, dy, chart, window)
      expect(seen(view, 0, 0).x).toBeLessThan(window.width)
      expect(seen(view, chart.width, chart.height).x).toBeGreaterThan(0)
      expect(seen(view, chart.width, chart.height).y).toBeGreaterThan(0)
    }
    expect(zoomBy(fitChart(chart, window), 1e-6, { x: 0, y: 0 }, chart, window).k).toBeGreaterThan(0.2)
    expect(zoomBy(fitChart(chart, window), 1e6, { x: 0, y: 0 }, chart, window).k).toBe(2)
  })

  it('moves just enough to show a seat, not at all if it is visible, and centres a requested one', () => {
    const far = { x: 0, y: 0, k: 1 }
    const shown = reveal(far, seat, window)
    expect(seen(shown, seat.x + seat.width, seat.y + seat.height)).toEqual({ x: 976, y: 576 })
    expect(reveal(shown, seat, window)).toEqual(shown)
    const found = centreOn({ x: 0, y: 0, k: 0.1 }, seat, window)
    expect(found.k).toBeGreaterThanOrEqual(0.8)
    expect(seen(found, seat.x + 100, seat.y + 36)).toEqual({ x: 500, y: 300 })
  })
})
