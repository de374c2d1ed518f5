import { useConnection, useLive } from '../live/use-live.ts'
import { clockTime } from '../text.ts'

/** Says so when the page is not live, and from when what it shows is; silent while all is well. */
export function ConnectionBar() {
  const live = useLive()
  const connection = useConnection()
  if (connection.state !== 'reconnecting' && connection.state !== 'offline')
    return <div role="status" className="bar-empty" />
  const from = clockTime(connection.since)
  return (
    <div role="status" className="bar" data-connection={connection.state}>
      <span className="grow">
        {connection.state === 'offline'
          ? `Offline: the daemon does not answer. What is shown is from ${from}. Start it with “agency up”.`
          : `Reconnecting. What is shown is from ${from}.`}
      </span>
      <button type="button" onClick={live.retry}>
        Try now
      </button>
    </div>
  )
}
