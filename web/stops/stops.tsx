import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { type Stop, stopOperations } from '../../src/work/stops/contract.ts'
import { call } from '../client.ts'
import { useSecond } from '../clock.ts'
import { organisationsQuery } from '../org/queries.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorLine } from '../parts/error-line.tsx'
import { Sign } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { keys } from '../queries.ts'
import { clockTime, exactTime } from '../text.ts'
import { useOperation } from '../use-operation.ts'

export const stopsQuery = queryOptions({
  queryKey: keys.stops,
  queryFn: ({ signal }) => call(stopOperations.list, {}, signal),
})

/** Lists stops and held providers, above every page. */
export function Stops() {
  const known = useQuery(stopsQuery).data
  const now = useSecond()
  const holds = known?.providerHolds.filter((hold) => Date.parse(hold.until) > now) ?? []
  if (known === undefined || known.stops.length + holds.length === 0) return null
  return (
    <ul className="plain stops" aria-label="Stops and held providers">
      {known.stops.map((stop) => (
        <StopItem key={stop.scope} stop={stop} />
      ))}
      {holds.map((hold) => (
        <li key={hold.provider}>
          <Sign tone="waiting" />
          <p className="grow">
            <b>Launches on {hold.provider}</b> are held until{' '}
            <time dateTime={hold.until} title={exactTime(Date.parse(hold.until))}>
              {clockTime(Date.parse(hold.until))}
            </time>
            : {hold.reason}. Its briefs wait and continue by themselves.
          </p>
        </li>
      ))}
    </ul>
  )
}

function StopItem({ stop }: { stop: Stop }) {
  const organisations = useQuery(organisationsQuery()).data ?? []
  const organisation = organisations.find((each) => each.organisationId === stop.organisationId)
  const queries = useQueryClient()
  const clear = useOperation(stopOperations.clear, () => queries.invalidateQueries())
  const subject =
    stop.organisationId === null ? 'Everything' : (organisation?.name ?? `Organisation ${stop.organisationId}`)
  return (
    <li>
      <Sign tone="bad" />
      <div className="grow">
        <p>
          <b>{subject} is stopped</b> by {stop.by}, <Ago at={stop.at} />
          {stop.reason !== '' && `: ${stop.reason}`}. No agents are launched.
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

/** The emergency stop. It asks for confirmation, because it interrupts running agents. */
export function StopEverything() {
  const known = useQuery(stopsQuery).data
  const [asking, setAsking] = useState(false)
  const queries = useQueryClient()
  const stop = useOperation(stopOperations.set, () => {
    setAsking(false)
    return queries.invalidateQueries()
  })
  // Unknown: the daemon does not support stops, or does not answer.
  if (known === undefined || known.stops.some((each) => each.organisationId === null)) return null
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Stop everything…
      </button>
      <Dialog open={asking} onClose={() => setAsking(false)} label="Stop everything?" className="confirm">
        <h2>Stop everything?</h2>
        <p>
          Running agents are interrupted and no agent is launched, in any organisation, until you lift the stop. No work
          is lost, and no retry is counted.
        </p>
        {stop.error !== null && <ErrorLine error={stop.error} />}
        <p className="buttons">
          <button type="button" autoFocus onClick={() => setAsking(false)}>
            Keep running
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
