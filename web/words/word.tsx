import { type ReactNode, useId } from 'react'

import { meaningOf, type Word as Term } from '../../src/kernel/glossary.ts'

/**
 * A word of the product with its meaning behind it. The browser's own popover closes on Escape and on a click outside,
 * and returns the focus.
 */
export function Word({ of, children }: { of: Term; children?: ReactNode }) {
  const id = useId()
  return (
    <span className="word">
      <button type="button" popoverTarget={id} title={meaningOf(of)}>
        {children ?? of}
      </button>
      <span id={id} popover="auto" className="meaning">
        <b>{of}</b> {meaningOf(of)}
      </span>
    </span>
  )
}
