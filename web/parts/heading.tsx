import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'

/** A page's one heading, and its title in the browser. */
export function Heading({ children, title }: { children?: ReactNode; title: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Agency`
  }, [title])
  useLayoutEffect(() => {
    const element = heading.current
    if (focusGoesOn) element?.focus()
    focusGoesOn = false
    return () => {
      focusGoesOn = document.activeElement === element
    }
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  )
}

/** Focus was on a heading that stood in while its page was loading, and belongs to the one that takes its place. */
let focusGoesOn = false
