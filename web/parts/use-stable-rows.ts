import { type PointerEvent, useRef, useState } from 'react'

interface Held<Item> {
  shown: readonly Item[]
  /** How many more there are than are shown. */
  waiting: number
  release: () => void
  /** For the element that holds the items. */
  pointer: { onPointerMove: (event: PointerEvent) => void; onPointerLeave: () => void }
}

/**
 * While the pointer is on a list, its rows stay where they are: what they say is kept up to date, what is new or gone
 * waits until the pointer leaves.
 */
export function useStableRows<Item extends { id: string }>(items: readonly Item[]): Held<Item> {
  const [pointed, setPointed] = useState(false)
  const order = useRef<readonly Item[]>(items)
  if (!pointed) order.current = items
  const now = new Map(items.map((item) => [item.id, item]))
  const shown = order.current.map((item) => now.get(item.id) ?? item)
  const known = new Set(order.current.map((item) => item.id))
  return {
    shown,
    waiting: items.filter((item) => !known.has(item.id)).length,
    release: () => setPointed(false),
    pointer: {
      onPointerMove: (event) => setPointed(event.pointerType === 'mouse'),
      onPointerLeave: () => setPointed(false),
    },
  }
}
