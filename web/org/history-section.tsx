import { useInfiniteQuery, useQuery } from '@tanstack/react-query'

import type { Event } from '../../src/events/contract.ts'
import type { AssignmentRecord } from '../../src/org/assignments/contract.ts'
import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import type { PersonaView } from '../../src/org/personas/contract.ts'
import { Columns } from '../parts/columns.tsx'
import { Empty, Failure, Skeleton } from '../parts/notices.tsx'
import { Ago, Duration } from '../parts/time.tsx'
import { addresses, Link } from '../router.tsx'
import { assignmentsQuery, orgEventsQuery, personasQuery } from './queries.ts'

/** Lists all assignments, and all changes of the structure with their authors. */
export function HistorySection({ organisation }: { organisation: OrganisationView }) {
  const { slug } = organisation
  const assignments = useQuery(assignmentsQuery(slug))
  return (
    <>
      <section className="part">
        <h2>Assignments</h2>
        {assignments.isPending && <Skeleton lines={4} label="the assignments" />}
        {assignments.isError && assignments.data === undefined && (
          <Failure error={assignments.error} retry={() => void assignments.refetch()} name="The assignments" />
        )}
        {assignments.data?.length === 0 && (
          <Empty
            title="No assignments yet"
            command={'agency org assign --position-id 1 --persona-slug architect-robbo-3'}
          >
            All holders of seats are listed here, including former ones. Assign a persona to a seat:
          </Empty>
        )}
        {assignments.data !== undefined && assignments.data.length > 0 && (
          <AssignmentTable slug={slug} assignments={assignments.data} />
        )}
      </section>
      <Changes organisation={organisation} />
    </>
  )
}

const maxRows = 200

/** Lists assignments, newest first; a removed seat keeps its title. */
export function AssignmentTable({
  slug,
  assignments,
  seat = true,
}: {
  slug: string
  assignments: readonly AssignmentRecord[]
  /** Whether to show the seat; left out on the page of that seat. */
  seat?: boolean
}) {
  const left = assignments.length - maxRows
  return (
    <>
      <table className="lines">
        <thead>
          <tr>
            {seat && <th scope="col">Seat</th>}
            <th scope="col">Persona</th>
            <th scope="col">Since</th>
            <th scope="col">Until</th>
            <th scope="col" className="figure wide">
              For
            </th>
          </tr>
        </thead>
        <tbody>
          {assignments.slice(0, maxRows).map((each) => (
            <tr key={each.personaAssignmentId} data-open={each.unassignedAt === null || undefined}>
              {seat && (
                <td>
                  {each.positionId === null ? (
                    <>
                      {each.positionTitle} <span className="label">seat removed</span>
                    </>
                  ) : (
                    <Link to={addresses.seat(slug, each.positionId)}>{each.positionTitle}</Link>
                  )}
                </td>
              )}
              <td>
                <Link to={addresses.persona(each.personaSlug)}>{each.personaName}</Link>
              </td>
              <td>
                <Ago at={each.assignedAt} />
              </td>
              <td>{each.unassignedAt === null ? 'current' : <Ago at={each.unassignedAt} />}</td>
              <td className="figure wide">
                <Duration from={each.assignedAt} to={each.unassignedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <p className="muted">
          {left} older assignments: <code>agency org assignments --org {slug} --include-history</code>
        </p>
      )}
    </>
  )
}

function Changes({ organisation: { organisationId } }: { organisation: OrganisationView }) {
  const changes = useInfiniteQuery(orgEventsQuery(organisationId))
  const personas = useQuery(personasQuery(true)).data ?? []
  const events = changes.data?.pages.flatMap((page) => page.events) ?? []
  return (
    <section className="part">
      <h2>Changes</h2>
      {changes.isPending && <Skeleton lines={6} label="the changes" />}
      {changes.isError && changes.data === undefined && (
        <Failure error={changes.error} retry={() => void changes.refetch()} name="The changes" />
      )}
      {changes.data !== undefined && events.length === 0 && <p className="muted">No changes yet.</p>}
      {events.length > 0 && (
        <table className="lines">
          <Columns of={{ Time: '', Author: '', Change: '' }} />
          <tbody>
            {events.map((event) => (
              <ChangeRow key={event.position} event={event} personas={personas} />
            ))}
          </tbody>
        </table>
      )}
      {changes.hasNextPage && (
        <button
          type="button"
          className="more"
          disabled={changes.isFetchingNextPage}
          onClick={() => void changes.fetchNextPage()}
        >
          Show older changes
        </button>
      )}
    </section>
  )
}

function ChangeRow({ event, personas }: { event: Event; personas: readonly PersonaView[] }) {
  const persona = personas.find((each) => each.personaId === event.data['by_persona_id'])
  return (
    <tr>
      <td className="when">
        <Ago at={event.at} />
      </td>
      <td>
        {persona === undefined || !event.by.startsWith('agent') ? (
          event.by
        ) : (
          <Link to={addresses.persona(persona.slug)} title={event.by}>
            {persona.name}
          </Link>
        )}
      </td>
      <td>
        <Link className="quiet" to={`${addresses.events}#${event.position}`} title="Show this line among the events">
          {event.message}
        </Link>{' '}
        {event.data['outside_governance'] === true && (
          <span className="label strong" title="Made by an agent other than the AR Director">
            outside governance
          </span>
        )}
      </td>
    </tr>
  )
}
