import { type PointerEvent, type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react'

import { after } from '../clock.ts'
import type { Box, Size } from './layout.ts'
import { centred, fitted, moved, showing, type View, zoomed } from './viewport.ts'

export interface ChartViewport {
  /** What one looks through. */
  window: RefObject<HTMLDivElement | null>
  /** What moves behind it. */
  world: RefObject<HTMLDivElement | null>
  fit(): void
  zoom(factor: number): void
  pan(dx: number, dy: number): void
  /** Moves as little as it can. */
  show(box: Box): void
  /** In the middle, large enough to be read. */
  centre(box: Box): void
  pointer: {
    onPointerDown(event: PointerEvent): void
    onPointerMove(event: PointerEvent): void
    onPointerUp(event: PointerEvent): void
    onPointerCancel(event: PointerEvent): void
    onPointerEnter(): void
    onPointerLeave(): void
  }
  /** Whether the button that was just released had dragged, and so meant no click. */
  hasDragged(): boolean
}

/** Where somebody left a chart, for when she comes back to it from a seat. */
const left = new Map<string, View>()

/** From here on the pointer drags; below it, a hand only trembles. */
const threshold = 4
/** Nothing moved for this long: the chart is painted sharply, at the size it has now. */
const restMs = 140

/**
 * Panning and zooming past React: a frame only sets one transform on one layer, whatever the number of seats.
 * (500 seats that are laid out or painted anew in each frame reach ten frames a second.)
 */
export function useViewport(chart: Size, name: string): ChartViewport {
  const window = useRef<HTMLDivElement>(null)
  const world = useRef<HTMLDivElement>(null)
  const state = useRef({ chart, name })
  state.current = { chart, name }
  const view = useMemo(
    () =>
      createView(
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
    // React listens passively to the wheel, and could not keep the page from scrolling or zooming with it.
    element.addEventListener('wheel', view.wheel, { passive: false })
    return () => {
      resized.disconnect()
      element.removeEventListener('wheel', view.wheel)
    }
  }, [view])
  return useMemo(() => ({ window, world, ...view }), [window, world, view])
}

type Element = RefObject<HTMLDivElement | null>

function createView(window: Element, world: Element, chartOf: () => Size, nameOf: () => string) {
  let view: View = { x: 0, y: 0, k: 1 }
  /** All of it is in the window, and shall stay so when the chart or the window changes. */
  let isFitted = true
  let isPointed = false
  let restsSoon = (): void => {}
  const pointers = new Map<number, { x: number; y: number }>()
  let dragged = false

  /** Measured when it changes: asking in every frame would lay the whole chart out again. */
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

  const apply = (next: View, { now = false } = {}): void => {
    view = next
    const element = world.current
    if (element === null) return
    element.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.k})`
    restsSoon()
    if (now) return rest()
    if (element.dataset['moving'] === undefined) element.dataset['moving'] = ''
    restsSoon = after(restMs, rest)
  }

  const leave = (next: View): void => {
    isFitted = false
    left.set(nameOf(), next)
    apply(next)
  }
  const fit = (): void => {
    isFitted = true
    left.delete(nameOf())
    apply(fitted(chartOf(), room()), { now: true })
  }
  const middle = (): { x: number; y: number } => ({ x: room().width / 2, y: room().height / 2 })
  const pan = (dx: number, dy: number): void => leave(moved(view, dx, dy, chartOf(), room()))
  const zoomAt = (factor: number, at: { x: number; y: number }): void =>
    leave(zoomed(view, factor, at, chartOf(), room()))
  const seen = (event: { clientX: number; clientY: number }): { x: number; y: number } => {
    const { left: x = 0, top: y = 0 } = window.current?.getBoundingClientRect() ?? {}
    return { x: event.clientX - x, y: event.clientY - y }
  }

  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return
    if (pointers.size === 0) dragged = false
    pointers.set(event.pointerId, seen(event))
  }
  const onPointerMove = (event: PointerEvent): void => {
    const before = pointers.get(event.pointerId)
    if (before === undefined) return
    const at = seen(event)
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
      const before = left.get(nameOf())
      if (before === undefined) fit()
      else {
        isFitted = false
        apply(before, { now: true })
      }
    },
    /** What is live moves nothing that somebody points at; a window that changes its size moves everything anyway. */
    chartChanged: (windowToo = false) => {
      if (windowToo) measure()
      if (isFitted && (windowToo || !isPointed)) fit()
    },
    wheel: (event: WheelEvent) => {
      event.preventDefault()
      const unit = event.deltaMode === 1 ? 32 : 1
      if (event.ctrlKey || event.metaKey) zoomAt(Math.exp(-event.deltaY * unit * 0.004), seen(event))
      else if (event.shiftKey && event.deltaX === 0) pan(-event.deltaY * unit, 0)
      else pan(-event.deltaX * unit, -event.deltaY * unit)
    },
    fit,
    zoom: (factor: number) => zoomAt(factor, middle()),
    pan,
    show: (box: Box) => {
      const next = showing(view, box, room())
      if (next.x !== view.x || next.y !== view.y) leave(next)
    },
    centre: (box: Box) => leave(centred(view, box, room())),
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
