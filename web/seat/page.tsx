import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import type { ChartSeat } from '../../src/org/chart/contract.ts'
import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import type { Authority, PositionView } from '../../src/org/positions/contract.ts'
import { HolderIcon } from '../org/chart.tsx'
import { AssignmentTable } from '../org/history-section.tsx'
import { OrganisationLoader } from '../org/page.tsx'
import { assignmentsQuery, chartQuery, seatQuery } from '../org/queries.ts'
import { seatsAbove } from '../org/tree.ts'
import { Heading } from '../parts/heading.tsx'
import { Command, Failure, Skeleton } from '../parts/notices.tsx'
import { Ago } from '../parts/time.tsx'
import { addresses, Link } from '../router.tsx'
import { figure, humanise } from '../text.ts'

/** Shows one seat: its holder, its reporting line and escalation path, its reports, its limits and its former holders. */
export function SeatPage({ org, positionId }: { org: string; positionId: number }) {
  return (
    <OrganisationLoader org={org} heading="Seat" to={(slug) => addresses.seat(slug, positionId)}>
      {(organisation) => <Seat organisation={organisation} positionId={positionId} />}
    </OrganisationLoader>
  )
}

function Seat({ organisation, positionId }: { organisation: OrganisationView; positionId: number }) {
  const { slug } = organisation
  const shown = useQuery(seatQuery(positionId))
  const chart = useQuery(chartQuery(slug))
  const seats = chart.data?.seats ?? []
  // Without the chart the seat would seem to report to the operator.
  const position = chart.isPending ? undefined : shown.data?.position
  if (position === undefined || position.organisationId !== organisation.organisationId)
    return (
      <>
        <Heading title="Seat" />
        {(shown.isPending || chart.isPending) && !shown.isError && <Skeleton lines={10} label="the seat" />}
        {shown.isError && (
          <Failure error={shown.error} retry={() => void shown.refetch()} name={`Seat ${positionId}`} />
        )}
        {position !== undefined && (
          <p>
            Seat {positionId} does not belong to <Link to={addresses.org(slug)}>{organisation.name}</Link>.
          </p>
        )}
      </>
    )
  return (
    <>
      <header className="seat-header">
        <p className="crumbs">
          <Link to={addresses.org(slug)}>{organisation.name}</Link>
        </p>
        <Heading title={position.title} />
        <p className="facts">
          <span>
            level {position.level}, {position.role}
          </span>
          {position.isLead && <span className="label strong">lead</span>}
          {position.isCrossCutting && <span className="label strong">cross-cutting</span>}
          <span className="muted">seat {position.positionId}</span>
        </p>
      </header>
      <Holder position={position} />
      <div className="columns">
        <Lines slug={slug} seats={seats} position={position} />
        <Reports slug={slug} seats={seats} positionId={positionId} />
      </div>
      <Limits position={position} />
      <History slug={slug} positionId={positionId} />
    </>
  )
}

function Holder({ position }: { position: PositionView }) {
  const { assignment } = position
  return (
    <section className="part" aria-label="Holder">
      <h2>Holder</h2>
      {assignment === null ? (
        <>
          <p className="holder">
            <HolderIcon vacant /> vacant
          </p>
          <Command text={`agency org assign --position-id ${position.positionId} --persona-slug SLUG`} />
        </>
      ) : (
        <p className="holder">
          <HolderIcon vacant={false} />{' '}
          <Link to={addresses.persona(assignment.personaSlug)}>{assignment.personaName}</Link>{' '}
          <span className="muted">
            since <Ago at={assignment.assignedAt} />
          </span>
        </p>
      )}
    </section>
  )
}

interface LinesProps {
  slug: string
  seats: readonly ChartSeat[]
  position: PositionView
}

/** Shows reporting line and escalation path side by side, in the same line styles as on the chart. */
function Lines({ slug, seats, position: { positionId, title } }: LinesProps) {
  return (
    <section className="part" aria-label="Lines">
      <h2>Seats above</h2>
      <div className="lines-up">
        <Upwards
          kind="reporting"
          name="Reporting line"
          slug={slug}
          title={title}
          seats={seatsAbove(seats, positionId, 'reportsToId')}
        />
        <Upwards
          kind="escalation"
          name="Escalation path"
          slug={slug}
          title={title}
          seats={seatsAbove(seats, positionId, 'escalatesToId')}
        />
      </div>
    </section>
  )
}

function Upwards({
  kind,
  name,
  slug,
  title,
  seats,
}: {
  kind: 'reporting' | 'escalation'
  name: string
  slug: string
  title: string
  seats: readonly ChartSeat[]
}) {
  return (
    <div>
      <h3>{name}</h3>
      <ol className={`plain upwards ${kind}`} aria-label={name}>
        <li>{title}</li>
        {seats.map((seat) => (
          <li key={seat.positionId}>
            <SeatLink slug={slug} seat={seat} />
          </li>
        ))}
        <li>Operator</li>
      </ol>
    </div>
  )
}

function Reports({ slug, seats, positionId }: { slug: string; seats: readonly ChartSeat[]; positionId: number }) {
  const reports = seats.filter((seat) => seat.reportsToId === positionId)
  const escalating = seats.filter((seat) => seat.escalatesToId === positionId && seat.reportsToId !== positionId)
  return (
    <section className="part" aria-label="Direct reports">
      <h2>Direct reports</h2>
      <SeatList slug={slug} seats={reports} none="No direct reports." />
      {escalating.length > 0 && (
        <>
          <h3>Escalate to this seat without reporting to it</h3>
          <SeatList slug={slug} seats={escalating} none="" />
        </>
      )}
    </section>
  )
}

function SeatList({ slug, seats, none }: { slug: string; seats: readonly ChartSeat[]; none: ReactNode }) {
  if (seats.length === 0) return <p className="muted">{none}</p>
  return (
    <ul className="plain seat-list">
      {seats.map((seat) => (
        <li key={seat.positionId}>
          <SeatLink slug={slug} seat={seat} />
        </li>
      ))}
    </ul>
  )
}

const SeatLink = ({ slug, seat }: { slug: string; seat: ChartSeat }) => (
  <>
    <Link to={addresses.seat(slug, seat.positionId)}>{seat.title}</Link>{' '}
    <span className="muted holder">
      <HolderIcon vacant={seat.holder === null} />{' '}
      {seat.holder === null ? (
        'vacant'
      ) : (
        <Link className="quiet" to={addresses.persona(seat.holder.slug)}>
          {seat.holder.name}
        </Link>
      )}
    </span>
  </>
)

const breachLabels: Record<Authority['onBreach'], string> = {
  refuse: 'refused above the limit',
  gate: 'asks the operator above the limit',
  hard_stop: 'stopped above the limit',
}

function Limits({ position }: { position: PositionView }) {
  return (
    <section className="part" aria-label="Authority">
      <h2>Authority</h2>
      {position.authority.length === 0 ? (
        <p className="muted">This seat has no limits of its own.</p>
      ) : (
        <dl className="pairs">
          {position.authority.map((limit) => (
            <div key={limit.kind}>
              <dt>{humanise(limit.kind)}</dt>
              <dd>
                <span className="figure">
                  {figure(limit.limit)} {limit.unit}
                </span>
                , {breachLabels[limit.onBreach]}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

function History({ slug, positionId }: { slug: string; positionId: number }) {
  const assignments = useQuery(assignmentsQuery(slug, positionId))
  return (
    <section className="part" aria-label="Assignments">
      <h2>Assignments</h2>
      {assignments.isPending && <Skeleton lines={3} label="the assignments" />}
      {assignments.isError && assignments.data === undefined && (
        <Failure error={assignments.error} retry={() => void assignments.refetch()} name="The assignments" />
      )}
      {assignments.data?.length === 0 && <p className="muted">No assignments yet.</p>}
      {assignments.data !== undefined && assignments.data.length > 0 && (
        <AssignmentTable slug={slug} assignments={assignments.data} seat={false} />
      )}
    </section>
  )
}
