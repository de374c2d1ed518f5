import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo, useState } from 'react'

import type { ChartSeat } from '../../src/org/chart/contract.ts'
import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import { Empty, Failure, Skeleton } from '../parts/notices.tsx'
import { setQuery, useAddress } from '../router.tsx'
import { figure } from '../text.ts'
import { Chart } from './chart.tsx'
import { escalatesElsewhere } from './layout.ts'
import { chartQuery } from './queries.ts'
import { matchesSeat } from './seat-labels.ts'
import { SeatTree } from './seat-tree.tsx'

export function ChartSection({ organisation }: { organisation: OrganisationView }) {
  const chart = useQuery(chartQuery(organisation.slug))
  if (chart.data === undefined)
    return chart.isError ? (
      <Failure error={chart.error} retry={() => void chart.refetch()} name="The chart" />
    ) : (
      <Skeleton lines={10} label="the chart" />
    )
  if (chart.data.seats.length === 0)
    return (
      <Empty
        title="No seats yet"
        command={`agency org position create --org ${organisation.slug} --title "Principal Architect" --role architect`}
      >
        A chart consists of seats: each has a title, a role and a seat to report to. Add them one by one, or import all
        of them from a document with “agency org import”.
      </Empty>
    )
  return <Seats organisation={organisation} seats={chart.data.seats} />
}

/** On a narrower screen a chart is hard to use by thumb, so the list is the default; the chart can still be selected. */
const narrow = '(width < 800px)'

function Seats({
  organisation: { slug, name },
  seats,
}: {
  organisation: OrganisationView
  seats: readonly ChartSeat[]
}) {
  const { query } = useAddress()
  const view = query.get('view') ?? (matchMedia(narrow).matches ? 'list' : 'chart')
  const text = query.get('find') ?? ''
  const matching = useMemo(
    () => (text.trim() === '' ? null : seats.filter((seat) => matchesSeat(seat, text.trim()))),
    [seats, text],
  )
  const found = useMemo(() => (matching === null ? null : new Set(matching.map((seat) => seat.positionId))), [matching])
  const [pointed, setPointed] = useState<{ positionId: number; text: string } | null>(null)
  const [escalation, setEscalation] = useState(true)

  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || matching === null || matching.length === 0) return
    const before = pointed?.text === text ? matching.findIndex((seat) => seat.positionId === pointed.positionId) : -1
    const step = event.shiftKey ? -1 : 1
    const next = matching[(Math.max(before, event.shiftKey ? 0 : -1) + step + matching.length) % matching.length]
    if (next !== undefined) setPointed({ positionId: next.positionId, text })
    event.preventDefault()
  }
  const at = matching?.findIndex((seat) => seat.positionId === pointed?.positionId) ?? -1
  return (
    <>
      <div className="chart-bar">
        <input
          type="search"
          aria-label="Find a seat, holder or role"
          placeholder="Find a seat, holder or role"
          title="Press Enter to go to the next match"
          value={text}
          onChange={(event) => setQuery('find', event.target.value)}
          onKeyDown={onKey}
        />
        <span className="muted figure" role="status">
          {matching === null
            ? ''
            : matching.length === 0
              ? 'no matches'
              : `${at >= 0 && pointed?.text === text ? `${figure(at + 1)} of ` : ''}${figure(matching.length)} found`}
        </span>
        <span className="grow" />
        {view === 'chart' && seats.some(escalatesElsewhere) && (
          <label className="check">
            <input type="checkbox" checked={escalation} onChange={(event) => setEscalation(event.target.checked)} />
            Escalation lines
          </label>
        )}
        <span className="either" role="group" aria-label="Show as">
          <button type="button" aria-pressed={view === 'chart'} onClick={() => setQuery('view', 'chart')}>
            Chart
          </button>
          <button type="button" aria-pressed={view === 'list'} onClick={() => setQuery('view', 'list')}>
            List
          </button>
        </span>
      </div>
      {view === 'list' ? (
        <SeatTree slug={slug} name={name} seats={seats} found={found} pointed={pointed} />
      ) : (
        <Chart slug={slug} name={name} seats={seats} found={found} pointed={pointed} escalation={escalation} />
      )}
    </>
  )
}
