/** Shows a text that is not formatted, with the reason. */
export function PlainText({ text, reason }: { text: string; reason: string }) {
  return (
    <>
      <p className="muted">{reason}</p>
      <pre className="plain-text" tabIndex={0} role="region" aria-label="The text">
        {text}
      </pre>
    </>
  )
}
