import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'

import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import { Heading } from '../parts/heading.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { type State, StateLabel } from '../parts/state.tsx'
import { addresses, Link, navigate, type OrgSection, orgSections } from '../router.tsx'
import { counted, figure } from '../text.ts'
import { ChartSection } from './chart-section.tsx'
import { HistorySection } from './history-section.tsx'
import { ProposalsSection } from './proposals-section.tsx'
import { orgQuery, orgStatusQuery } from './queries.ts'
import { saveSelection } from './selection.ts'
import { SettingsSection } from './settings-section.tsx'
import { VacanciesSection } from './vacancies-section.tsx'

export function OrganisationPage({ org, section }: { org: string; section: OrgSection }) {
  return (
    <OrganisationLoader org={org} heading="Organisation" to={(slug) => addresses.org(slug, section)}>
      {(organisation) => (
        <>
          <Header organisation={organisation} section={section} />
          <Section organisation={organisation} section={section} />
        </>
      )}
    </OrganisationLoader>
  )
}

interface OrganisationLoaderProps {
  org: string
  heading: string
  /** Returns the address of the same page for a slug. */
  to: (slug: string) => string
  children: (organisation: OrganisationView) => ReactNode
}

/**
 * Loads an organisation by slug or name, changes the address to the slug, and makes the organisation the selected one.
 */
export function OrganisationLoader({ org, heading, to, children }: OrganisationLoaderProps) {
  const organisation = useQuery(orgQuery(org))
  const slug = organisation.data?.slug
  useEffect(() => {
    if (slug === undefined) return
    saveSelection(slug)
    if (slug !== org) navigate(to(slug) + location.search + location.hash, { replace: true })
  }, [slug, org, to])
  if (organisation.data) return <>{children(organisation.data)}</>
  return (
    <>
      <Heading title={heading} />
      {organisation.isPending && <Skeleton lines={10} label="the organisation" />}
      {organisation.isError && (
        <Failure error={organisation.error} retry={() => void organisation.refetch()} name={`Organisation ${org}`} />
      )}
    </>
  )
}

const sectionLabels: Record<OrgSection, string> = {
  chart: 'Chart',
  vacancies: 'Vacancies',
  proposals: 'Proposals',
  history: 'History',
  settings: 'Intent and settings',
}

function Header({ organisation, section }: { organisation: OrganisationView; section: OrgSection }) {
  const { slug, name } = organisation
  const status = useQuery(orgStatusQuery(slug)).data
  const counts: Partial<Record<OrgSection, number>> =
    status === undefined ? {} : { vacancies: status.positions.vacant, proposals: status.openProposals }
  return (
    <header className="org-header">
      <div className="head">
        <Heading title={section === 'chart' ? name : `${sectionLabels[section]} of ${name}`}>
          {name} {section !== 'chart' && <span className="unseen">{sectionLabels[section]}</span>}
        </Heading>
        <p className="facts">
          <StateLabel state={organisationState(organisation.status)} />
          {status !== undefined && (
            <span className="figure">
              {counted(status.positions.total, 'seat')}, {figure(status.positions.filled)} held
            </span>
          )}
          {status !== undefined && status.activeAgents > 0 && (
            <span className="figure">{counted(status.activeAgents, 'running agent')}</span>
          )}
          <code className="muted wide">{slug}</code>
        </p>
      </div>
      <nav className="tabs" aria-label={`Pages of ${name}`}>
        {orgSections.map((each) => (
          <Link key={each} to={addresses.org(slug, each)} aria-current={each === section ? 'page' : undefined}>
            {sectionLabels[each]}
            {counts[each] !== undefined && counts[each] > 0 && (
              <span className="figure muted"> {figure(counts[each])}</span>
            )}
          </Link>
        ))}
        <Link to={addresses.personas}>Personas</Link>
      </nav>
    </header>
  )
}

export const organisationState = (status: OrganisationView['status']): State => ({
  tone: status === 'active' ? 'good' : 'off',
  text: status,
})

function Section({ organisation, section }: { organisation: OrganisationView; section: OrgSection }) {
  switch (section) {
    case 'chart':
      return <ChartSection key={organisation.slug} organisation={organisation} />
    case 'vacancies':
      return <VacanciesSection organisation={organisation} />
    case 'proposals':
      return <ProposalsSection organisation={organisation} />
    case 'history':
      return <HistorySection organisation={organisation} />
    case 'settings':
      return <SettingsSection organisation={organisation} />
  }
}
