import { createLazy } from './lazy.tsx'

const Markdown = createLazy({ name: 'The text' }, async () => (await import('./markdown.tsx')).Markdown)

/** Rendering the elements of a longer text would block the page for seconds. */
const most = 100_000

/** Renders Markdown from an untrusted author. */
export function RichText({ text }: { text: string }) {
  if (text.length <= most) return <Markdown text={text} />
  return (
    <>
      <p className="muted">The text is too long to be formatted and is shown as plain text.</p>
      <pre className="plain-text" tabIndex={0} role="region" aria-label="The text">
        {text}
      </pre>
    </>
  )
}
