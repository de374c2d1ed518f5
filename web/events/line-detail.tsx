import { useQuery } from '@tanstack/react-query'

import { Failure, Skeleton } from '../parts/notices.tsx'
import { Ago } from '../parts/time.tsx'
import { eventQuery } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { humanise } from '../text.ts'

/** Shows one line completely: the full message, its author, its run and brief, and its data. */
export function LineDetail({ at, onClose }: { at: Parameters<typeof eventQuery>[0]; onClose: () => void }) {
  const event = useQuery(eventQuery(at))
  return (
    <aside className="line-detail" aria-label="Selected line">
      <button type="button" className="close" onClick={onClose} title="Close (Esc)">
        Close
      </button>
      {event.isPending && <Skeleton lines={3} label="the line" />}
      {event.isError && <Failure error={event.error} retry={() => void event.refetch()} name="The line" />}
      {event.data === null && <p>This line does not exist.</p>}
      {event.data && (
        <>
          <p className="message">{event.data.message}</p>
          <p className="muted">
            {humanise(event.data.kind)} by {event.data.by}, <Ago at={event.data.at} />, number {event.data.seq} of{' '}
            {event.data.stream}
            {event.data.runId !== null && (
              <>
                {' '}
                · <Link to={addresses.line(event.data.runId, event.data.seq)}>{event.data.runId}</Link>
              </>
            )}
            {event.data.runId !== null && event.data.briefId !== null && (
              <>
                {' '}
                · <Link to={addresses.brief(event.data.runId, event.data.briefId)}>{event.data.briefId}</Link>
              </>
            )}
          </p>
          {Object.keys(event.data.data).length > 0 && (
            <pre tabIndex={0} aria-label="Data">
              {JSON.stringify(event.data.data, null, 2)}
            </pre>
          )}
        </>
      )}
    </aside>
  )
}
