import { type ReactNode, useState } from 'react'

/** A `<details>` element that renders its content only while it is open. */
export function Disclosure({
  summary,
  open = false,
  children,
}: {
  summary: ReactNode
  open?: boolean
  children: () => ReactNode
}) {
  const [isOpen, setIsOpen] = useState(open)
  return (
    <details open={open} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  )
}
