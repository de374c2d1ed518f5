import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { type Stop, stopOperations } from '../../src/work/stops/contract.ts'
import { call } from '../client.ts'
import { useSecond } from '../clock.ts'
import { useOperation } from '../use-operation.ts'
import { organisationsQuery } from '../org/queries.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Sign } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { keys } from '../queries.ts'
import { clockTime, exactTime } from '../text.ts'

export const stopsQuery = queryOptions({
  queryKey: keys.stops,
  queryFn: ({ signal }) => call(stopOperations.list, {}, signal),
})

/** Above everything else: whatever is stopped, and which provider takes no launches. */
export function Stops() {
  const known = useQuery(stopsQuery).data
  const now = useSecond()
  const holds = known?.providerHolds.filter((hold) => Date.parse(hold.until) > now) ?? []
  if (known === undefined || known.stops.length + holds.length === 0) return null
  return (
    <ul className="plain stops" aria-label="What is stopped">
      {known.stops.map((stop) => (
        <Stopped key={stop.scope} stop={stop} />
      ))}
      {holds.map((hold) => (
        <li key={hold.provider}>
          <Sign tone="waiting" />
          <p className="grow">
            <b>{hold.provider}</b> takes no launches until{' '}
            <time dateTime={hold.until} title={exactTime(Date.parse(hold.until))}>
              {clockTime(Date.parse(hold.until))}
            </time>
            : {hold.reason}. What uses it waits and goes on by itself.
          </p>
        </li>
      ))}
    </ul>
  )
}

function Stopped({ stop }: { stop: Stop }) {
  const organisations = useQuery(organisationsQuery()).data ?? []
  const organisation = organisations.find((each) => each.organisationId === stop.organisationId)
  const queries = useQueryClient()
  const clear = useOperation(stopOperations.clear, () => queries.invalidateQueries())
  const what =
    stop.organisationId === null ? 'Everything' : (organisation?.name ?? `Organisation ${stop.organisationId}`)
  return (
    <li>
      <Sign tone="bad" />
      <div className="grow">
        <p>
          <b>{what} is stopped</b> by {stop.by}, <Ago at={stop.at} />
          {stop.reason !== '' && `: ${stop.reason}`}. Nothing is launched.
        </p>
        {clear.error !== null && <ErrorLine error={clear.error} />}
      </div>
      <button
        type="button"
        disabled={clear.isPending || (stop.organisationId !== null && organisation === undefined)}
        onClick={() => clear.perform(organisation === undefined ? {} : { organisation: organisation.slug })}
      >
        {clear.isPending ? 'Lifting' : 'Lift the stop'}
      </button>
    </li>
  )
}

/** The emergency switch. It asks once, because it interrupts agents at work. */
export function StopEverything() {
  const known = useQuery(stopsQuery).data
  const [asking, setAsking] = useState(false)
  const queries = useQueryClient()
  const stop = useOperation(stopOperations.set, () => {
    setAsking(false)
    return queries.invalidateQueries()
  })
  // Unknown: a daemon that has no such switch, or does not answer.
  if (known === undefined || known.stops.some((each) => each.organisationId === null)) return null
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Stop everything…
      </button>
      <Dialog open={asking} onClose={() => setAsking(false)} label="Stop everything?" className="confirm">
        <h2>Stop everything?</h2>
        <p>
          Agents at work are interrupted and nothing more is launched, in any organisation, until you lift it. Nothing
          is lost, and no retry is counted.
        </p>
        {stop.error !== null && <ErrorLine error={stop.error} />}
        <p className="buttons">
          <button type="button" autoFocus onClick={() => setAsking(false)}>
            Leave it running
          </button>
          <button
            type="button"
            className="primary"
            disabled={stop.isPending}
            onClick={() => stop.perform({ reason: 'stopped from the dashboard' })}
          >
            {stop.isPending ? 'Stopping' : 'Stop everything'}
          </button>
        </p>
      </Dialog>
    </>
  )
}
