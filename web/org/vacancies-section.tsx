import { useQuery } from '@tanstack/react-query'

import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import { Columns } from '../parts/columns.tsx'
import { Command, Empty, Failure, Skeleton } from '../parts/notices.tsx'
import { addresses, Link } from '../router.tsx'
import { HolderIcon } from './chart.tsx'
import { vacanciesQuery } from './queries.ts'

/** Lists vacant seats with the personas that could take them. */
export function VacanciesSection({ organisation: { slug } }: { organisation: OrganisationView }) {
  const vacancies = useQuery(vacanciesQuery(slug))
  if (vacancies.data === undefined)
    return vacancies.isError ? (
      <Failure error={vacancies.error} retry={() => void vacancies.refetch()} name="The vacancies" />
    ) : (
      <Skeleton lines={5} label="the vacancies" />
    )
  const { vacancies: seats, available } = vacancies.data
  if (seats.length === 0) return <Empty title="No vacant seats">Seats without a holder are listed here.</Empty>
  const fillable = seats.find((seat) => available.some((persona) => persona.role === seat.role)) ?? seats[0]
  const candidate = available.find((persona) => persona.role === fillable?.role)
  return (
    <>
      <table className="lines">
        <Columns of={{ Seat: '', Role: '', Level: 'figure', 'Available with the role': '' }} />
        <tbody>
          {seats.map((seat) => (
            <tr key={seat.positionId}>
              <td>
                <span className="holder">
                  <HolderIcon vacant /> <Link to={addresses.seat(slug, seat.positionId)}>{seat.title}</Link>
                </span>
              </td>
              <td>{seat.role}</td>
              <td className="figure">{seat.level}</td>
              <td>
                <Candidates personas={available.filter((persona) => persona.role === seat.role)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {fillable !== undefined && (
        <section className="part">
          <h2>Fill a seat</h2>
          <Command
            text={`agency org assign --position-id ${fillable.positionId} --persona-slug ${candidate?.slug ?? 'SLUG'}`}
          />
        </section>
      )}
    </>
  )
}

function Candidates({ personas }: { personas: readonly { slug: string; name: string }[] }) {
  if (personas.length === 0) return <span className="muted">none</span>
  return (
    <span className="facts">
      {personas.slice(0, 5).map((persona) => (
        <Link key={persona.slug} to={addresses.persona(persona.slug)}>
          {persona.name}
        </Link>
      ))}
      {personas.length > 5 && <span className="muted">and {personas.length - 5} more</span>}
    </span>
  )
}
