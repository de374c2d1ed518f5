import { queryOptions, useQuery } from '@tanstack/react-query'

import { eventOperations } from '../../src/events/contract.ts'
import { call } from '../client.ts'
import { lineTone } from '../../src/kernel/event-tone.ts'
import { Sign } from '../parts/state.tsx'
import { keys } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { clockTime, withoutSign } from '../text.ts'

const shown = 12
/** Verbose events are left out, so more are asked for than are shown. */
const asked = 100

const latestQuery = (runId: string) =>
  queryOptions({
    queryKey: [...keys.run(runId), 'latest'],
    queryFn: ({ signal }) =>
      call(eventOperations.ofRun, { runId, latest: 'true', limit: asked, level: 'normal' }, signal),
  })

/** Shows the newest lines of the log, newest last. */
export function LatestLines({ runId }: { runId: string }) {
  const events = useQuery(latestQuery(runId)).data?.events.slice(-shown) ?? []
  if (events.length === 0) return null
  return (
    <section className="part" aria-label="Latest events">
      <h2>
        Latest <Link to={addresses.runView(runId, 'log')}>Show the log</Link>
      </h2>
      <ol className="plain latest">
        {events.map((event) => (
          <li key={event.seq}>
            <Link to={addresses.line(runId, event.seq)} title={event.message}>
              <time className="muted" dateTime={event.at}>
                {clockTime(Date.parse(event.at))}
              </time>
              <Sign tone={lineTone(event)} />
              <span className="cut">{withoutSign(event.message)}</span>
            </Link>
          </li>
        ))}
      </ol>
    </section>
  )
}
