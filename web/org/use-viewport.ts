import { type PointerEvent, type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react'

import { after } from '../clock.ts'
import type { Box, Size } from './layout.ts'
import { centreOn, fitChart, panBy, reveal, type Viewport, zoomBy } from './viewport.ts'

export interface ChartViewport {
  /** The element through which the chart is visible. */
  window: RefObject<HTMLDivElement | null>
  /** The element that contains the chart and moves behind the window. */
  world: RefObject<HTMLDivElement | null>
  fit(): void
  zoom(factor: number): void
  pan(dx: number, dy: number): void
  /** Makes the smallest move that shows the box. */
  show(box: Box): void
  /** Centres the box, at a readable size. */
  centre(box: Box): void
  pointer: {
    onPointerDown(event: PointerEvent): void
    onPointerMove(event: PointerEvent): void
    onPointerUp(event: PointerEvent): void
    onPointerCancel(event: PointerEvent): void
    onPointerEnter(): void
    onPointerLeave(): void
  }
  /** Reports whether the pointer was dragged before its release, so that the click does not count. */
  hasDragged(): boolean
}

/** The last viewport of each chart, for the return from the page of a seat. */
const lastViewports = new Map<string, Viewport>()

/** The distance from which a movement of the pointer is a drag; shorter movements are jitter. */
const threshold = 4
/** After this long without movement the chart is painted sharply, at its current size. */
const restMs = 140

/**
 * Pans and zooms without React: a frame only sets one transform on one layer, independent of the number of seats.
 * (500 seats that are laid out or painted again in each frame reach ten frames a second.)
 */
export function useViewport(chart: Size, name: string): ChartViewport {
  const window = useRef<HTMLDivElement>(null)
  const world = useRef<HTMLDivElement>(null)
  const state = useRef({ chart, name })
  state.current = { chart, name }
  const view = useMemo(
    () =>
      createViewport(
        window,
        world,
        () => state.current.chart,
        () => state.current.name,
      ),
    [window, world, state],
  )

  useLayoutEffect(() => view.begin(), [view, name])
  useLayoutEffect(() => view.chartChanged(), [view, chart])
  useEffect(() => {
    const element = window.current
    if (element === null) return
    const resized = new ResizeObserver(() => view.chartChanged(true))
    resized.observe(element)
    // React listens to the wheel passively, so it could not prevent the page from scrolling or zooming.
    element.addEventListener('wheel', view.wheel, { passive: false })
    return () => {
      resized.disconnect()
      element.removeEventListener('wheel', view.wheel)
    }
  }, [view])
  return useMemo(() => ({ window, world, ...view }), [window, world, view])
}

type Element = RefObject<HTMLDivElement | null>

function createViewport(window: Element, world: Element, chartOf: () => Size, nameOf: () => string) {
  let view: Viewport = { x: 0, y: 0, k: 1 }
  /** The whole chart is in the window, and stays so when the chart or the window changes. */
  let isFitted = true
  let isPointed = false
  let cancelRest = (): void => {}
  const pointers = new Map<number, { x: number; y: number }>()
  let dragged = false

  /** Measured only when it changes: measuring in every frame would lay out the whole chart again. */
  let size: Size = { width: 0, height: 0 }
  const room = (): Size => size
  const measure = (): void => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = window.current ?? {}
    size = { width, height }
  }

  const rest = (): void => {
    const element = world.current
    if (element === null) return
    delete element.dataset['moving']
    element.style.setProperty('--k', String(view.k))
    element.dataset['detail'] = view.k >= 0.55 ? 'near' : view.k >= 0.27 ? 'middle' : 'far'
  }

  const apply = (next: Viewport, { now = false } = {}): void => {
    view = next
    const element = world.current
    if (element === null) return
    element.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.k})`
    cancelRest()
    if (now) return rest()
    if (element.dataset['moving'] === undefined) element.dataset['moving'] = ''
    cancelRest = after(restMs, rest)
  }

  const move = (next: Viewport): void => {
    isFitted = false
    lastViewports.set(nameOf(), next)
    apply(next)
  }
  const fit = (): void => {
    isFitted = true
    lastViewports.delete(nameOf())
    apply(fitChart(chartOf(), room()), { now: true })
  }
  const middle = (): { x: number; y: number } => ({ x: room().width / 2, y: room().height / 2 })
  const pan = (dx: number, dy: number): void => move(panBy(view, dx, dy, chartOf(), room()))
  const zoomAt = (factor: number, at: { x: number; y: number }): void =>
    move(zoomBy(view, factor, at, chartOf(), room()))
  const pointOf = (event: { clientX: number; clientY: number }): { x: number; y: number } => {
    const { left: x = 0, top: y = 0 } = window.current?.getBoundingClientRect() ?? {}
    return { x: event.clientX - x, y: event.clientY - y }
  }

  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return
    if (pointers.size === 0) dragged = false
    pointers.set(event.pointerId, pointOf(event))
  }
  const onPointerMove = (event: PointerEvent): void => {
    const before = pointers.get(event.pointerId)
    if (before === undefined) return
    const at = pointOf(event)
    if (!dragged && Math.hypot(at.x - before.x, at.y - before.y) < threshold) return
    if (!dragged) window.current?.setPointerCapture(event.pointerId)
    dragged = true
    pointers.set(event.pointerId, at)
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1]
    if (other === undefined) return pan(at.x - before.x, at.y - before.y)
    const factor = Math.hypot(at.x - other.x, at.y - other.y) / Math.hypot(before.x - other.x, before.y - other.y)
    zoomAt(Number.isFinite(factor) ? factor : 1, { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 })
  }
  const onPointerUp = (event: PointerEvent): void => void pointers.delete(event.pointerId)

  return {
    begin: () => {
      measure()
      const before = lastViewports.get(nameOf())
      if (before === undefined) fit()
      else {
        isFitted = false
        apply(before, { now: true })
      }
    },
    /** A live update does not move a chart under the pointer; a resize of the window moves it in any case. */
    chartChanged: (windowToo = false) => {
      if (windowToo) measure()
      if (isFitted && (windowToo || !isPointed)) fit()
    },
    wheel: (event: WheelEvent) => {
      event.preventDefault()
      const unit = event.deltaMode === 1 ? 32 : 1
      if (event.ctrlKey || event.metaKey) zoomAt(Math.exp(-event.deltaY * unit * 0.004), pointOf(event))
      else if (event.shiftKey && event.deltaX === 0) pan(-event.deltaY * unit, 0)
      else pan(-event.deltaX * unit, -event.deltaY * unit)
    },
    fit,
    zoom: (factor: number) => zoomAt(factor, middle()),
    pan,
    show: (box: Box) => {
      const next = reveal(view, box, room())
      if (next.x !== view.x || next.y !== view.y) move(next)
    },
    centre: (box: Box) => move(centreOn(view, box, room())),
    hasDragged: () => dragged,
    pointer: {
      onPointerDown,
      onPointerMove,
      onPointerUp,
      onPointerCancel: onPointerUp,
      onPointerEnter: () => void (isPointed = true),
      onPointerLeave: () => void (isPointed = false),
    },
  }
}
