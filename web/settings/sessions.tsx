import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { operations } from '../../src/operations/all.contract.ts'
import type { SessionRecord } from '../../src/sessions/contract.ts'
import { call } from '../client.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { Ago } from '../parts/time.tsx'
import { keys, sessionsQuery } from '../queries.ts'
import { forgetSession } from '../session.ts'
import { browserName } from './browser-name.ts'

/** Lists the browsers that are signed in, this one first, each with a button that signs it out. */
export function Sessions() {
  const found = useQuery(sessionsQuery)
  if (found.isPending) return <Skeleton lines={3} label="the sessions" />
  if (!found.data)
    return <Failure error={found.error} retry={() => void found.refetch()} name="The list of signed-in browsers" />
  const sessions = found.data.sessions.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
  return (
    <>
      <ul className="plain entries">
        {sessions.map((session) => (
          <Session key={session.id} session={session} />
        ))}
      </ul>
      <p className="muted">
        A session ends after 30 days, or after 7 days without use. In a terminal: <code>agency sessions</code>
      </p>
    </>
  )
}

function Session({ session }: { session: SessionRecord }) {
  const queries = useQueryClient()
  const { isCurrent } = session
  const end = useMutation({
    mutationFn: () =>
      isCurrent ? call(operations.session.signOut, {}) : call(operations.session.revoke, { sessionId: session.id }),
    onSuccess: () => {
      if (!isCurrent) return queries.invalidateQueries({ queryKey: keys.sessions })
      forgetSession()
      // A page that is loaded anew has nothing in memory.
      return location.assign('/')
    },
  })
  const name = browserName(session.userAgent)
  return (
    <li>
      <div className="grow">
        <p title={session.userAgent}>
          {name}
          {isCurrent && <span className="muted"> · this browser</span>}
        </p>
        <p className="facts muted">
          <span>
            last used <Ago at={session.usedAt} />
          </span>
          <span>
            signed in <Ago at={session.createdAt} />
          </span>
          <code>{session.id}</code>
        </p>
        {end.isError && <ErrorLine error={end.error} />}
      </div>
      <button
        type="button"
        disabled={end.isPending}
        aria-label={isCurrent ? 'Sign out of this browser' : `Sign out ${name}, ${session.id}`}
        onClick={() => end.mutate()}
      >
        Sign out
      </button>
    </li>
  )
}
