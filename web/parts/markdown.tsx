import type { ReactNode } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'

/**
 * Text that an agent may have written. It becomes elements one by one, never HTML as text; what is not plain formatting is
 * left out. Pictures are named, not fetched: an address of somebody else's would tell him who reads this, and when.
 */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeSanitize]}
        components={components}
        urlTransform={(url) => (/^(https?:|mailto:)/i.test(url) ? url : '')}
      >
        {text}
      </ReactMarkdown>
    </div>
  )
}

const components: Components = {
  // The page has its title, and the section its own: what the text calls its first heading is the third here.
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h6>{children}</h6>,
  h5: ({ children }) => <h6>{children}</h6>,
  img: ({ alt }) => <span className="muted">[picture{alt ? `: ${alt}` : ''}]</span>,
  // A place within the text, or elsewhere on this daemon, is no address to follow from here.
  a: ({ href, children }) => (href ? <Outwards to={href}>{children}</Outwards> : <span>{children}</span>),
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

const Outwards = ({ to, children }: { to: string; children?: ReactNode }) => (
  <a href={to} target="_blank" rel="noopener noreferrer nofollow" title={to}>
    {children}
  </a>
)
