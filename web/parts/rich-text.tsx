import { createLazy } from './lazy.tsx'

const Markdown = createLazy({ name: 'The text' }, async () => (await import('./markdown.tsx')).Markdown)

/** Longer than this, making elements of it would stop the page for seconds. */
const most = 100_000

/** Markdown that anybody may have written. */
export function RichText({ text }: { text: string }) {
  if (text.length <= most) return <Markdown text={text} />
  return (
    <>
      <p className="muted">Too long to be formatted; shown as it is written.</p>
      <pre className="plain-text" tabIndex={0} role="region" aria-label="The text">
        {text}
      </pre>
    </>
  )
}
