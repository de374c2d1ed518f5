import { createLazy } from './lazy.tsx'
import { PlainText } from './plain-text.tsx'

const Markdown = createLazy({ name: 'The text' }, async () => (await import('./markdown.tsx')).Markdown)

/** Rendering the elements of a longer text would block the page for seconds. */
const most = 100_000

/** Renders Markdown from an untrusted author. */
export const RichText = ({ text }: { text: string }) =>
  text.length <= most ? (
    <Markdown text={text} />
  ) : (
    <PlainText text={text} reason="The text is too long to be formatted and is shown as plain text." />
  )
