import { useEffect, useState } from 'react'

import { type EventKind, eventKindGroups, eventKinds } from '../../src/events/contract.ts'
import { after } from '../clock.ts'
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

/** Long enough for the next key. */
const typingMs = 250

/** Returns the filter once nothing was typed for a moment: each one is a query over all events. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => after(typingMs, () => setSettled(value)), [value])
  return settled
}

/** Shows all events of the installation, live, with the newest at the end. */
export function EventsPage() {
  const { path, query, hash } = useAddress()
  const chosen = query.get('kind') ?? ''
  const found = groups[chosen] ?? eventKinds.filter((kind) => kind === chosen)
  const kinds = found.length > 0 ? found : undefined
  const [typed, setTyped] = useState({ all: false, text: '' })
  const { log, state } = useFeed({ ...useSettled(typed), kinds })
  // The bar with the filter stays in its place while another query is under way.
  const [hasBegun, setHasBegun] = useState(false)
  if (state.phase === 'ready' && !hasBegun) setHasBegun(true)
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
      {state.phase === 'loading' && !hasBegun ? (
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
          {...(kinds === undefined ? {} : { kinds })}
          onFilter={setTyped}
          emptyText={
            kinds === undefined && typed.text === ''
              ? 'No events yet. Every event of the installation is recorded here, in order and permanently.'
              : 'No event matches the filter.'
          }
        />
      )}
      {target !== null && <LineDetail at={{ position: target }} onClose={() => point(null)} />}
    </>
  )
}
