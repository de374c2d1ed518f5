import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import { organisationState } from '../org/page.tsx'
import { organisationsQuery, orgStatusQuery } from '../org/queries.ts'
import { useSelectedOrganisation } from '../org/selection.ts'
import { Columns } from '../parts/columns.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Failure, Skeleton } from '../parts/notices.tsx'
import { StateLabel } from '../parts/state.tsx'
import { addresses, Link, navigate, setQuery, useAddress } from '../router.tsx'
import { counted, figure } from '../text.ts'

/** Lists all organisations. If one is selected, or only one exists, opens its chart instead. */
export function OrganisationsPage() {
  const { query } = useAddress()
  const archived = query.get('all') === 'true'
  const active = useQuery(organisationsQuery())
  const organisations = useQuery(organisationsQuery(archived))
  const chosen = useSelectedOrganisation({ page: 'organisations' }, query, active.data ?? [])
  useEffect(() => {
    if (active.data !== undefined && chosen !== null && !archived) navigate(addresses.org(chosen), { replace: true })
  }, [active.data, chosen, archived])
  return (
    <>
      <div className="head">
        <Heading title="Organisations" />
        <label className="check">
          <input
            type="checkbox"
            checked={archived}
            onChange={(event) => setQuery('all', event.target.checked ? 'true' : '')}
          />
          Show archived
        </label>
      </div>
      {organisations.isPending && <Skeleton lines={5} label="the organisations" />}
      {organisations.isError && organisations.data === undefined && (
        <Failure error={organisations.error} retry={() => void organisations.refetch()} name="The organisations" />
      )}
      {organisations.data?.length === 0 && (
        <Empty title="No organisation yet" command={'agency org create --name "Kent Ventures" --purpose economy'}>
          An organisation has seats, and personas that hold them. Create one:
        </Empty>
      )}
      {organisations.data !== undefined && organisations.data.length > 0 && (
        <OrganisationTable organisations={organisations.data} />
      )}
    </>
  )
}

/** Each row fetches its own figures. */
const pageSize = 50

function OrganisationTable({ organisations }: { organisations: readonly OrganisationView[] }) {
  const [most, setMost] = useState(pageSize)
  return (
    <>
      <table className="lines">
        <Columns
          of={{
            Organisation: '',
            Status: '',
            Seats: 'figure',
            Vacant: 'figure',
            'Running agents': 'figure wide',
            Proposals: 'figure wide',
          }}
        />
        <tbody>
          {organisations.slice(0, most).map((organisation) => (
            <OrganisationRow key={organisation.slug} organisation={organisation} />
          ))}
        </tbody>
      </table>
      {organisations.length > most && (
        <button type="button" className="more" onClick={() => setMost(most + pageSize)}>
          Show {counted(Math.min(pageSize, organisations.length - most), 'more organisation')}
        </button>
      )}
    </>
  )
}

function OrganisationRow({ organisation }: { organisation: OrganisationView }) {
  const { slug, name, purpose } = organisation
  const status = useQuery(orgStatusQuery(slug)).data
  return (
    <tr>
      <td>
        <Link to={addresses.org(slug)}>{name}</Link> <span className="muted wide">{purpose}</span>
      </td>
      <td>
        <StateLabel state={organisationState(organisation.status)} />
      </td>
      <td className="figure">{status === undefined ? '' : figure(status.positions.total)}</td>
      <td className="figure">
        {status === undefined ? (
          ''
        ) : status.positions.vacant === 0 ? (
          '0'
        ) : (
          <Link to={addresses.org(slug, 'vacancies')}>{figure(status.positions.vacant)}</Link>
        )}
      </td>
      <td className="figure wide">{status === undefined ? '' : figure(status.activeAgents)}</td>
      <td className="figure wide">
        {status === undefined || status.openProposals === 0 ? (
          (status?.openProposals ?? '')
        ) : (
          <Link to={addresses.org(slug, 'proposals')}>{figure(status.openProposals)}</Link>
        )}
      </td>
    </tr>
  )
}
