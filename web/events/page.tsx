import { type EventKind, eventKindGroups, eventKinds } from '../../src/events/contract.ts'
import { useFeed } from '../live/use-log.ts'
import { Heading } from '../parts/heading.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { navigate, setQuery, useAddress } from '../router.tsx'
import { humanise } from '../text.ts'
import { LineDetail } from './line-detail.tsx'
import { LogView } from './log-view.tsx'

/** Groups of kinds to filter by: those of the contract that people search by, and three that cut across them. */
const groups: Record<string, readonly EventKind[]> = {
  organisation: eventKindGroups.organisation,
  'runs and missions': eventKindGroups['runs and missions'],
  evidence: ['evidence_checked', 'ready_for_verification', 'completed', 'artifact_written'],
  repositories: eventKindGroups.repositories,
  workspaces: eventKindGroups.workspaces,
  trouble: ['failed', 'retried', 'escalated', 'declined', 'brief_cancelled'],
  agents: ['assigned', 'spawned', 'reported', 'turn_ended', 'log'],
}

/** Shows all events of the installation, live, with the newest at the end. */
export function EventsPage() {
  const { log, state } = useFeed()
  const { path, query, hash } = useAddress()
  const chosen = query.get('kind') ?? ''
  const kinds = groups[chosen] ?? eventKinds.filter((kind) => kind === chosen)
  const target = /^\d+$/.test(hash) ? Number(hash) : null
  const point = (position: number | null): void =>
    navigate(path + location.search + (position === null ? '' : `#${position}`), { replace: true })
  return (
    <>
      <div className="head">
        <Heading title="Events" />
        <label>
          Kind{' '}
          <select value={chosen} onChange={(event) => setQuery('kind', event.target.value)}>
            <option value="">all</option>
            <optgroup label="Group">
              {Object.keys(groups).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </optgroup>
            <optgroup label="Single kind">
              {eventKinds.map((kind) => (
                <option key={kind} value={kind}>
                  {humanise(kind)}
                </option>
              ))}
            </optgroup>
          </select>
        </label>
      </div>
      {state.phase === 'loading' && state.lines.length === 0 ? (
        <Skeleton lines={12} label="the events" />
      ) : state.phase === 'failed' ? (
        <Failure error={state.error} retry={() => void log.catchUp()} name="The events" />
      ) : (
        <LogView
          log={log}
          state={state}
          label="Events"
          lineKey="position"
          target={target}
          onTarget={point}
          origin={(line) => line.runId ?? 'system'}
          kinds={kinds.length > 0 ? kinds : undefined}
          emptyText="No events yet. Every event of the installation is recorded here, in order and permanently."
        />
      )}
      {target !== null && <LineDetail at={{ position: target }} onClose={() => point(null)} />}
    </>
  )
}
