import { useLive } from '../live/use-live.ts'
import { Heading } from '../parts/heading.tsx'
import { Command } from '../parts/notices.tsx'
import { linkRejection } from '../session.ts'

/** Signing in requires read access to the operator's files, so it is done in a terminal. */
export function SignInPage() {
  const live = useLive()
  const rejection = linkRejection()
  return (
    <main className="signed-out">
      <Heading title="This browser is signed out" />
      {rejection !== null && (
        <p role="alert">
          {rejection[0]?.toUpperCase()}
          {rejection.slice(1)}.
        </p>
      )}
      <p>The dashboard belongs to the operator of this machine. Sign in from a terminal on it:</p>
      <Command text="agency open" />
      <p>
        The command opens an address that signs in one browser, once, within ten minutes; the address that it prints
        does the same. If this browser is signed in already, a tab that is still open lets this one in.
      </p>
      <button type="button" onClick={live.retry}>
        Retry after signing in
      </button>
    </main>
  )
}
