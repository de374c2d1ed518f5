import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import type { PersonaView } from '../../src/org/personas/contract.ts'
import { organisationsQuery, personaQuery, personaTextQuery } from '../org/queries.ts'
import { Columns } from '../parts/columns.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Failure, Skeleton } from '../parts/notices.tsx'
import { TextFile } from '../parts/text-file.tsx'
import { Ago } from '../parts/time.tsx'
import { kindOf } from '../personas/page.tsx'
import { addresses, Link, navigate } from '../router.tsx'
import { counted } from '../text.ts'

/** Shows a persona: its seats in all organisations, its skills and its experience. */
export function PersonaPage({ persona }: { persona: string }) {
  const shown = useQuery(personaQuery(persona))
  const slug = shown.data?.persona.slug
  useEffect(() => {
    if (slug !== undefined && slug !== persona) navigate(addresses.persona(slug), { replace: true })
  }, [slug, persona])
  if (shown.data === undefined)
    return (
      <>
        <Heading title="Persona" />
        {shown.isPending && <Skeleton lines={10} label="the persona" />}
        {shown.isError && (
          <Failure error={shown.error} retry={() => void shown.refetch()} name={`Persona ${persona}`} />
        )}
      </>
    )
  return (
    <>
      <Header persona={shown.data.persona} />
      <Seats positions={shown.data.positions} persona={shown.data.persona} />
      {shown.data.persona.skillFile === null ? (
        <Empty title="No files">
          {shown.data.persona.type === 'person'
            ? 'People have no files for skills and experience.'
            : 'This persona has no files for skills and experience.'}
        </Empty>
      ) : (
        <Texts slug={shown.data.persona.slug} />
      )}
    </>
  )
}

const origins: Record<NonNullable<PersonaView['origin']>, string> = {
  seed: 'created at installation',
  import: 'imported',
  pool: 'cast from the talent pool',
}

function Header({ persona }: { persona: PersonaView }) {
  return (
    <header className="seat-header">
      <p className="crumbs">
        <Link to={addresses.personas}>Personas</Link>
      </p>
      <Heading title={persona.name} />
      <p className="facts">
        <span>{persona.role}</span>
        <span>{kindOf(persona)}</span>
        {persona.status === 'archived' && <span className="label strong">archived</span>}
        {persona.canCreateChannel && <span className="label">may open channels</span>}
        {persona.activeAgents > 0 && <span className="figure">{counted(persona.activeAgents, 'running agent')}</span>}
        <span className="muted">
          {persona.origin === null ? 'created' : origins[persona.origin]} <Ago at={persona.createdAt} />
        </span>
        <code className="muted">{persona.slug}</code>
      </p>
    </header>
  )
}

interface HeldSeat {
  positionId: number
  title: string
  organisation: string
  assignedAt: string
}

function Seats({ positions, persona }: { positions: readonly HeldSeat[]; persona: PersonaView }) {
  const organisations = useQuery(organisationsQuery(true)).data ?? []
  return (
    <section className="part" aria-label="Seats">
      <h2>Seats</h2>
      {positions.length === 0 && (
        <p className="muted">
          {persona.slug} holds no seat. <Link to={addresses.organisations}>Show the charts</Link>.
        </p>
      )}
      {positions.length > 0 && (
        <table className="lines">
          <Columns of={{ Seat: '', Organisation: '', Since: '' }} />
          <tbody>
            {positions.map((held) => (
              <tr key={held.positionId}>
                <td>
                  <Link to={addresses.seat(held.organisation, held.positionId)}>{held.title}</Link>
                </td>
                <td>
                  <Link to={addresses.org(held.organisation)}>
                    {organisations.find((each) => each.slug === held.organisation)?.name ?? held.organisation}
                  </Link>
                </td>
                <td>
                  <Ago at={held.assignedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Texts({ slug }: { slug: string }) {
  const skill = useQuery(personaTextQuery(slug, 'skill'))
  const experience = useQuery(personaTextQuery(slug, 'experience'))
  return (
    <div className="columns">
      <TextFile file={skill} name="Skills" />
      <TextFile file={experience} name="Experience" />
    </div>
  )
}
