import { useQuery } from '@tanstack/react-query'
import { type Components, toJsxRuntime } from 'hast-util-to-jsx-runtime'
import type { ReactNode } from 'react'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'

import { Skeleton } from './notices.tsx'
import { parseMarkdown } from './parse-markdown.ts'
import { PlainText } from './plain-text.tsx'

/**
 * Renders text that an agent may have written. It becomes elements one by one, never HTML as text; everything except
 * plain formatting is left out. Images are named, not fetched: a foreign server would learn the reader and the time.
 */
export function Markdown({ text }: { text: string }) {
  const parsed = useQuery({ queryKey: ['markdown', text], queryFn: () => parseMarkdown(text) })
  if (parsed.isPending) return <Skeleton lines={3} label="the text" />
  if (!parsed.data)
    return <PlainText text={text} reason="The text could not be formatted in time and is shown as plain text." />
  return <div className="markdown">{toJsxRuntime(parsed.data, { Fragment, jsx, jsxs, components })}</div>
}

const components: Components = {
  // The page and the section have headings of their own, so a first-level heading of the text is the third level here.
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h6>{children}</h6>,
  h5: ({ children }) => <h6>{children}</h6>,
  img: ({ alt }) => <span className="muted">[image{alt ? `: ${alt}` : ''}]</span>,
  // Links within the text, or to other paths of this daemon, are not followed from here.
  a: ({ href, children }) => (href ? <ExternalLink to={href}>{children}</ExternalLink> : <span>{children}</span>),
  input: ({ checked }) => <span>{checked === true ? '[x]' : '[ ]'}</span>,
  pre: ({ children }) => (
    <pre tabIndex={0} role="region" aria-label="Code">
      {children}
    </pre>
  ),
  table: ({ children }) => (
    <div className="table-wrap" tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
}

const ExternalLink = ({ to, children }: { to: string; children?: ReactNode }) => (
  <a href={to} target="_blank" rel="noopener noreferrer nofollow" title={to}>
    {children}
  </a>
)
