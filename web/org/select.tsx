import { useQuery } from '@tanstack/react-query'

import { type Route, useAddress } from '../router.tsx'
import { organisationsQuery } from './queries.ts'
import { selectOrganisation, useSelectedOrganisation } from './selection.ts'

/** Selects one organisation or all of them, for every page that depends on it. */
export function OrganisationSelect({ route }: { route: Route }) {
  const { query } = useAddress()
  const all = useQuery(organisationsQuery()).data ?? []
  const chosen = useSelectedOrganisation(route, query, all)
  if (all.length === 0) return null
  const isListed = chosen === null || all.some((each) => each.slug === chosen)
  return (
    <select
      className="org-switch"
      aria-label="Selected organisation"
      title="Select an organisation"
      value={chosen ?? ''}
      onChange={(event) => selectOrganisation(event.target.value === '' ? null : event.target.value)}
    >
      {(all.length > 1 || chosen === null) && <option value="">All organisations</option>}
      {!isListed && <option value={chosen}>{chosen}</option>}
      {all.map((each) => (
        <option key={each.slug} value={each.slug}>
          {all.filter((other) => other.name === each.name).length > 1 ? `${each.name} (${each.slug})` : each.name}
        </option>
      ))}
    </select>
  )
}
