import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type KeyboardEvent, useId, useRef, useState } from 'react'

import { onTreeKey, type TreeRow } from './tree-keys.ts'

export interface TreeItem extends TreeRow {
  /** 1-based position among the siblings. */
  readonly position: number
  readonly siblings: number
}

interface TreeOptions<Item, Key> {
  items: readonly Item[]
  keyOf: (item: Item) => Key
  heightOf: (item: Item) => number
  overscan: number
  /** The key of the item that the page shows; it is selected, and active until another item is. */
  current: Key | null
  onToggle: (key: Key) => void
  onChoose: (item: Item) => void
}

/**
 * Implements the behaviour that all trees share: one tab stop, arrow keys that move, open and close, only visible items
 * drawn, and the ARIA attributes of tree and items. The caller draws each item.
 */
export function useTree<Item extends TreeItem, Key extends string | number>(options: TreeOptions<Item, Key>) {
  const { items, keyOf, heightOf, overscan, current, onToggle, onChoose } = options
  const [activeKey, setActiveKey] = useState<Key | null>(current)
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const active = Math.max(
    0,
    items.findIndex((item) => keyOf(item) === (activeKey ?? current)),
  )
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(items[index] as Item),
    overscan,
    getItemKey: (index) => keyOf(items[index] as Item),
  })
  const at = (index: number): Item => items[index] as Item
  const onKeyDown = (event: KeyboardEvent): void =>
    onTreeKey(event, items, active, {
      moveTo: (index) => {
        setActiveKey(keyOf(at(index)))
        virtual.scrollToIndex(index)
      },
      toggle: (index) => onToggle(keyOf(at(index))),
      choose: (index) => onChoose(at(index)),
    })
  return {
    virtual,
    activate: setActiveKey,
    /** For the element that scrolls. */
    tree: {
      ref: scroller,
      role: 'tree',
      tabIndex: 0,
      'aria-activedescendant': items.length > 0 ? `${id}-${active}` : undefined,
      onKeyDown,
    },
    /** The items that can be seen, each with the attributes of its element. */
    visible: virtual.getVirtualItems().flatMap(({ index, key, start }) => {
      const item = items[index]
      if (item === undefined) return []
      const attributes = {
        id: `${id}-${index}`,
        role: 'treeitem',
        tabIndex: -1,
        'aria-level': item.level,
        'aria-posinset': item.position,
        'aria-setsize': item.siblings,
        'aria-expanded': item.expanded ?? undefined,
        'aria-selected': keyOf(item) === current,
        'data-active': index === active || undefined,
        style: { transform: `translateY(${start}px)`, '--level': item.level } as CSSProperties,
      }
      return [{ item, key, isActive: index === active, attributes }]
    }),
  }
}
