import { explain } from './notices.tsx'

/** Shows the cause of an error and the next step. */
export function ErrorLine({ error }: { error: unknown }) {
  const { cause, step } = explain(error)
  return (
    <p role="alert" className="tone-bad complaint">
      {cause} {step}
    </p>
  )
}
