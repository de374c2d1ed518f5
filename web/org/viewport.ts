import type { Box, Size } from './layout.ts'

/** Where a chart lies in its window: a point of the chart `p` is seen at `x + k·p`. */
export interface View {
  readonly x: number
  readonly y: number
  readonly k: number
}

const largest = 2
const margin = 24
/** So much of a chart stays in the window, however far it is dragged. */
const kept = 64

/** All of it, a little above the middle, and never larger than life. */
export function fitted(chart: Size, window: Size): View {
  const k = Math.min(1, scaleOf(chart, window))
  const y = Math.max(margin, (window.height - chart.height * k) / 3)
  return { k, x: (window.width - chart.width * k) / 2, y }
}

const scaleOf = (chart: Size, window: Size): number =>
  Math.max(0.02, Math.min((window.width - 2 * margin) / chart.width, (window.height - 2 * margin) / chart.height))

/** Larger or smaller, with the point under the pointer staying where it is. */
export function zoomed(view: View, factor: number, at: { x: number; y: number }, chart: Size, window: Size): View {
  const least = Math.min(0.5, scaleOf(chart, window))
  const k = Math.min(largest, Math.max(least, view.k * factor))
  return within(
    { k, x: at.x - ((at.x - view.x) * k) / view.k, y: at.y - ((at.y - view.y) * k) / view.k },
    chart,
    window,
  )
}

export const moved = (view: View, dx: number, dy: number, chart: Size, window: Size): View =>
  within({ ...view, x: view.x + dx, y: view.y + dy }, chart, window)

/** The smallest move that shows a whole seat, with a little around it. */
export function showing(view: View, box: Box, window: Size): View {
  return {
    ...view,
    x: view.x + shift(view.x + box.x * view.k, box.width * view.k, window.width),
    y: view.y + shift(view.y + box.y * view.k, box.height * view.k, window.height),
  }
}

/** A seat in the middle, large enough to be read. */
export function centred(view: View, box: Box, window: Size): View {
  const k = Math.max(view.k, 0.8)
  return {
    k,
    x: window.width / 2 - (box.x + box.width / 2) * k,
    y: window.height / 2 - (box.y + box.height / 2) * k,
  }
}

function shift(start: number, length: number, room: number): number {
  if (start < margin) return margin - start
  const over = start + length - (room - margin)
  return over > 0 ? -over : 0
}

function within(view: View, chart: Size, window: Size): View {
  const hold = (at: number, length: number, room: number): number =>
    Math.min(room - kept, Math.max(kept - length * view.k, at))
  return {
    k: view.k,
    x: hold(view.x, chart.width, window.width),
    y: hold(view.y, chart.height, window.height),
  }
}
