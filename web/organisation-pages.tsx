import { OrganisationPage } from './org/page.tsx'
import { OrganisationSelect } from './org/select.tsx'
import { OrganisationsPage } from './organisations/page.tsx'
import { PersonaPage } from './persona/page.tsx'
import { PersonasPage } from './personas/page.tsx'
import type { Route } from './router.tsx'
import { SeatPage } from './seat/page.tsx'

export type OrgRoute = Extract<Route, { page: 'organisations' | 'org' | 'seat' | 'personas' | 'persona' }>

/**
 * The pages of organisations, loaded on first use. On a phone they include the selection: the rail has no room for it.
 */
export function OrganisationPages({ route }: { route: OrgRoute }) {
  return (
    <>
      <div className="narrow">
        <OrganisationSelect route={route} />
      </div>
      <OrganisationPageOf route={route} />
    </>
  )
}

function OrganisationPageOf({ route }: { route: OrgRoute }) {
  switch (route.page) {
    case 'organisations':
      return <OrganisationsPage />
    case 'org':
      return <OrganisationPage org={route.org} section={route.section} />
    case 'seat':
      return <SeatPage key={route.positionId} org={route.org} positionId={route.positionId} />
    case 'personas':
      return <PersonasPage />
    case 'persona':
      return <PersonaPage key={route.persona} persona={route.persona} />
  }
}
