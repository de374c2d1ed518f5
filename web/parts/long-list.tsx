import { type ReactNode, useState } from 'react'

import { figure } from '../text.ts'

/** A list that may be long: shows the beginning, and more on request. */
export function LongList<Item>({
  items,
  atOnce = 50,
  children,
}: {
  items: readonly Item[]
  atOnce?: number
  children: (item: Item, index: number) => ReactNode
}) {
  const [most, setMost] = useState(atOnce)
  return (
    <>
      {items.slice(0, most).map(children)}
      {items.length > most && (
        <li className="rest">
          <button type="button" className="more" onClick={() => setMost(most + atOnce)}>
            Show {figure(Math.min(atOnce, items.length - most))} more of {figure(items.length - most)}
          </button>
        </li>
      )}
    </>
  )
}
