import { useConnection, useLive } from '../live/use-live.ts'
import { clockTime } from '../text.ts'

/** Reports that the page is not live, and the time of the data that it shows; empty while the connection works. */
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
          ? `Offline: the daemon does not answer. This page shows data from ${from}. Start the daemon with “agency up”.`
          : `Reconnecting. This page shows data from ${from}.`}
      </span>
      <button type="button" onClick={live.retry}>
        Retry now
      </button>
    </div>
  )
}
