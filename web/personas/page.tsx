import { useQueries, useQuery } from '@tanstack/react-query'

import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import type { PersonaView } from '../../src/org/personas/contract.ts'
import { chartQuery, maxOrganisations, organisationsQuery, personasQuery } from '../org/queries.ts'
import { useSelectedOrganisation } from '../org/selection.ts'
import { Columns } from '../parts/columns.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Failure, Skeleton } from '../parts/notices.tsx'
import { addresses, Link, setQuery, useAddress } from '../router.tsx'
import { figure } from '../text.ts'

interface HeldSeat {
  org: OrganisationView
  positionId: number
  title: string
}

const maxRows = 300

export function PersonasPage() {
  const { query } = useAddress()
  const all = query.get('all') === 'true'
  const text = query.get('find') ?? ''
  const personas = useQuery(personasQuery(all))
  const known = useQuery(organisationsQuery())
  const organisations = known.data ?? []
  const chosen = useSelectedOrganisation({ page: 'personas' }, query, organisations)
  const inScope = organisations.filter((each) => chosen === null || each.slug === chosen).slice(0, maxOrganisations)
  const { seats, areKnown } = useSeats(inScope)
  // The list depends on the holders of seats: before they are known, a full or an empty list would only flash.
  const isPending = personas.isPending || known.isPending || !areKnown
  const isNarrowed = chosen !== null && organisations.length > 1
  const shown = (personas.data ?? [])
    .filter((persona) => !isNarrowed || seats.has(persona.slug))
    .filter((persona) => matches(persona, text))
  return (
    <>
      <div className="head">
        <Heading title="Personas" />
        <span className="facts">
          <input
            type="search"
            aria-label="Find a persona or role"
            placeholder="Find a persona or role"
            value={text}
            onChange={(event) => setQuery('find', event.target.value)}
          />
          <label className="check">
            <input
              type="checkbox"
              checked={all}
              onChange={(event) => setQuery('all', event.target.checked ? 'true' : '')}
            />
            Show pool and system
          </label>
        </span>
      </div>
      {isPending && !personas.isError && <Skeleton lines={8} label="the personas" />}
      {personas.isError && personas.data === undefined && (
        <Failure error={personas.error} retry={() => void personas.refetch()} name="The personas" />
      )}
      {!isPending && personas.data !== undefined && shown.length === 0 && (
        <NoPersonas text={text} org={isNarrowed ? (inScope[0]?.name ?? chosen) : null} />
      )}
      {!isPending && shown.length > 0 && <PersonaTable personas={shown} seats={seats} />}
    </>
  )
}

/** Returns the held seats by the slug of their holder. */
function useSeats(organisations: readonly OrganisationView[]): { seats: Map<string, HeldSeat[]>; areKnown: boolean } {
  const charts = useQueries({ queries: organisations.map((org) => chartQuery(org.slug)) })
  const held = charts.flatMap((chart, index) => {
    const org = organisations[index]
    if (org === undefined) return []
    return (chart.data?.seats ?? []).flatMap(({ holder, positionId, title }) =>
      holder === null ? [] : [{ slug: holder.slug, seat: { org, positionId, title } }],
    )
  })
  const seats = new Map(
    [...Map.groupBy(held, (each) => each.slug)].map(([slug, list]) => [slug, list.map((each) => each.seat)]),
  )
  return { seats, areKnown: charts.every((chart) => !chart.isPending) }
}

function NoPersonas({ text, org }: { text: string; org: string | null }) {
  if (text !== '') return <p className="muted">No persona matches “{text}”.</p>
  if (org !== null)
    return <Empty title={`${org} has no holders of seats`}>Select “All organisations” to see all personas.</Empty>
  return (
    <Empty title="No personas yet" command={'agency org persona create --name Robbo --role architect'}>
      A persona is a stable identity with its own skills and experience. It takes seats in any number of organisations.
    </Empty>
  )
}

function PersonaTable({
  personas,
  seats,
}: {
  personas: readonly PersonaView[]
  seats: ReadonlyMap<string, HeldSeat[]>
}) {
  const several = new Set([...seats.values()].flat().map((held) => held.org.slug)).size > 1
  return (
    <>
      <table className="lines">
        <Columns of={{ Name: '', Role: '', Seats: '', Kind: 'wide', 'Running agents': 'figure wide' }} />
        <tbody>
          {personas.slice(0, maxRows).map((persona) => (
            <tr key={persona.slug}>
              <td>
                <Link to={addresses.persona(persona.slug)}>{persona.name}</Link>{' '}
                {persona.status === 'archived' && <span className="label">archived</span>}
              </td>
              <td>{persona.role}</td>
              <td>
                <span className="facts">
                  {(seats.get(persona.slug) ?? []).map(({ org, positionId, title }) => (
                    <Link key={positionId} to={addresses.seat(org.slug, positionId)}>
                      {title}
                      {several && <span className="muted"> {org.name}</span>}
                    </Link>
                  ))}
                  {!seats.has(persona.slug) && <span className="muted">none</span>}
                </span>
              </td>
              <td className="wide">{kindOf(persona)}</td>
              <td className="figure wide">{figure(persona.activeAgents)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {personas.length > maxRows && (
        <p className="muted">and {figure(personas.length - maxRows)} more; search for them by name or role.</p>
      )}
    </>
  )
}

export const kindOf = (persona: Pick<PersonaView, 'type' | 'subtype'>): string => `${persona.subtype} ${persona.type}`

const matches = (persona: PersonaView, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${persona.name} ${persona.slug} ${persona.role}`.toLowerCase().includes(word))
