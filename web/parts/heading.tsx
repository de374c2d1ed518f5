import { type ReactNode, useEffect } from 'react'

/** A page's one heading, and its title in the browser. */
export function Heading({ children, title }: { children?: ReactNode; title: string }) {
  useEffect(() => {
    document.title = `${title} · Agency`
  }, [title])
  return <h1 tabIndex={-1}>{children ?? title}</h1>
}
