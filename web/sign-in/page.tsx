import { Heading } from '../parts/heading.tsx'
import { Command } from '../parts/notices.tsx'
import { useLive } from '../live/use-live.ts'

/** Only somebody who can read the operator's files can sign a browser in, so the way leads through the terminal. */
export function SignInPage() {
  const live = useLive()
  return (
    <main className="signed-out">
      <Heading title="This browser is signed out" />
      <p>The dashboard belongs to the operator of this machine. In a terminal there, type:</p>
      <Command text="agency open" />
      <p>
        It opens an address that signs one browser in, once, within ten minutes. If the browser is elsewhere, copy the
        address that it prints.
      </p>
      <button type="button" onClick={live.retry}>
        I have signed in: try again
      </button>
    </main>
  )
}
