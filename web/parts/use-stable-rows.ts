import { type PointerEvent, useRef, useState } from 'react'

interface StableRows<Item> {
  shown: readonly Item[]
  /** Number of new items that are not shown yet. */
  waiting: number
  release: () => void
  /** Event handlers for the element that contains the items. */
  pointer: { onPointerMove: (event: PointerEvent) => void; onPointerLeave: () => void }
}

/**
 * While the pointer is on a list, its rows keep their positions: their content is updated, but items are added and removed
 * only after the pointer has left.
 */
export function useStableRows<Item extends { id: string }>(items: readonly Item[]): StableRows<Item> {
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
