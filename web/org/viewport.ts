import type { Box, Size } from './layout.ts'

/** Position and scale of a chart in its window: a point `p` of the chart appears at `x + k·p`. */
export interface Viewport {
  readonly x: number
  readonly y: number
  readonly k: number
}

const maxScale = 2
const margin = 24
/** At least this much of a chart stays in the window, however far it is dragged. */
const minVisible = 64

/** Fits the whole chart into the window, slightly above the middle and at most at its original size. */
export function fitChart(chart: Size, window: Size): Viewport {
  const k = Math.min(1, scaleOf(chart, window))
  const y = Math.max(margin, (window.height - chart.height * k) / 3)
  return { k, x: (window.width - chart.width * k) / 2, y }
}

const scaleOf = (chart: Size, window: Size): number =>
  Math.max(0.02, Math.min((window.width - 2 * margin) / chart.width, (window.height - 2 * margin) / chart.height))

/** Zooms by a factor; the point under the pointer keeps its position. */
export function zoomBy(
  view: Viewport,
  factor: number,
  at: { x: number; y: number },
  chart: Size,
  window: Size,
): Viewport {
  const minScale = Math.min(0.5, scaleOf(chart, window))
  const k = Math.min(maxScale, Math.max(minScale, view.k * factor))
  return constrain(
    { k, x: at.x - ((at.x - view.x) * k) / view.k, y: at.y - ((at.y - view.y) * k) / view.k },
    chart,
    window,
  )
}

export const panBy = (view: Viewport, dx: number, dy: number, chart: Size, window: Size): Viewport =>
  constrain({ ...view, x: view.x + dx, y: view.y + dy }, chart, window)

/** Makes the smallest move that shows a whole seat with a margin. */
export function reveal(view: Viewport, box: Box, window: Size): Viewport {
  return {
    ...view,
    x: view.x + shift(view.x + box.x * view.k, box.width * view.k, window.width),
    y: view.y + shift(view.y + box.y * view.k, box.height * view.k, window.height),
  }
}

/** Centres a seat, at a readable size. */
export function centreOn(view: Viewport, box: Box, window: Size): Viewport {
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

function constrain(view: Viewport, chart: Size, window: Size): Viewport {
  const clamp = (at: number, length: number, room: number): number =>
    Math.min(room - minVisible, Math.max(minVisible - length * view.k, at))
  return {
    k: view.k,
    x: clamp(view.x, chart.width, window.width),
    y: clamp(view.y, chart.height, window.height),
  }
}
