import { explain } from './notices.tsx'

/** What was refused, why, and what to do about it. */
export function ErrorLine({ error }: { error: unknown }) {
  const { cause, step } = explain(error)
  return (
    <p role="alert" className="tone-bad complaint">
      {cause} {step}
    </p>
  )
}
