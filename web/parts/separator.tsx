import { type KeyboardEvent, type PointerEvent, type RefObject, useState } from 'react'

interface Limits {
  /** The name under which the browser keeps the size. */
  name: string
  initial: number
  least: number
  most: number
}

/** Returns the size of a pane in pixels, or percent; the browser remembers it. */
export function usePaneSize({ name, initial, least, most }: Limits): [number, (size: number) => void] {
  const key = `agency.pane.${name}`
  const [size, setSize] = useState(() => clamp(stored(key) ?? initial, least, most))
  return [
    size,
    (next) => {
      const within = Math.round(clamp(next, least, most))
      setSize(within)
      keep(key, within)
    },
  ]
}

interface SeparatorProps extends Limits {
  /** `vertical`: a vertical line between two panes side by side. */
  orientation: 'vertical' | 'horizontal'
  label: string
  /** The element that holds both panes. Sizes of a horizontal line are percent of its height. */
  within: RefObject<HTMLElement | null>
  /** The size of the pane before a vertical line, of the pane above a horizontal one. */
  size: number
  onSize: (size: number) => void
}

/** The line between two panes. It is dragged with the pointer, and moved with the arrow keys, Home and End. */
export function Separator({ orientation, label, within, size, onSize, initial, least, most }: SeparatorProps) {
  const isVertical = orientation === 'vertical'
  const drag = (event: PointerEvent<HTMLElement>): void => {
    const box = within.current?.getBoundingClientRect()
    if (box === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    onSize(isVertical ? event.clientX - box.left : ((event.clientY - box.top) / box.height) * 100)
  }
  const onKey = (event: KeyboardEvent): void => {
    const step = isVertical ? 16 : 4
    const next =
      event.key === (isVertical ? 'ArrowLeft' : 'ArrowUp')
        ? size - step
        : event.key === (isVertical ? 'ArrowRight' : 'ArrowDown')
          ? size + step
          : event.key === 'Home'
            ? least
            : event.key === 'End'
              ? most
              : event.key === 'Enter'
                ? initial
                : null
    if (next === null) return
    event.preventDefault()
    onSize(next)
  }
  return (
    <div
      className={`separator ${orientation}`}
      role="separator"
      tabIndex={0}
      aria-orientation={orientation}
      aria-label={label}
      aria-valuenow={size}
      aria-valuemin={least}
      aria-valuemax={most}
      title={`${label}: drag it, or use the arrow keys; Enter restores it`}
      onKeyDown={onKey}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDoubleClick={() => onSize(initial)}
    />
  )
}

const clamp = (size: number, least: number, most: number): number => Math.min(most, Math.max(least, size))

/** A browser that refuses storage gives every pane its initial size. */
function stored(key: string): number | null {
  try {
    const size = Number.parseInt(localStorage.getItem(key) ?? '', 10)
    return Number.isNaN(size) ? null : size
  } catch {
    return null
  }
}

function keep(key: string, size: number): void {
  try {
    localStorage.setItem(key, String(size))
  } catch {
    // The size lasts until the page is left.
  }
}
