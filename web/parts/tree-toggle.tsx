import type { MouseEvent } from 'react'

import { Chevron } from './chevron.tsx'

interface TreeToggleProps {
  className: string
  /** null: the item has nothing below it, and only the space is kept. */
  expanded: boolean | null
  onToggle: () => void
}

/** Opens and closes a tree item with the pointer. The arrow keys do the same, so it is not a tab stop of its own. */
export function TreeToggle({ className, expanded, onToggle }: TreeToggleProps) {
  if (expanded === null) return <span className={className} />
  const toggle = (event: MouseEvent): void => {
    event.preventDefault()
    event.stopPropagation()
    onToggle()
  }
  return (
    <span className={className} aria-hidden="true" onClick={toggle}>
      <Chevron open={expanded} />
    </span>
  )
}
