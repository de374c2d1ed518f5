import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'

import { setPageTitle } from './title.ts'

/** The single heading of a page, and its title in the browser. */
export function Heading({ children, title }: { children?: ReactNode; title: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    setPageTitle(title)
  }, [title])
  useLayoutEffect(() => {
    const element = heading.current
    if (focusPending) element?.focus()
    focusPending = false
    return () => {
      focusPending = document.activeElement === element
    }
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  )
}

/** Focus was on the placeholder heading of a page that was loading; the heading that replaces it takes the focus. */
let focusPending = false
