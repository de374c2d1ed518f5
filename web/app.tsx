import { useIsFetching, useQuery } from '@tanstack/react-query'
import { type MouseEvent, type ReactNode, useCallback, useEffect, useState } from 'react'

import { isSignedOut } from './client.ts'
import { Help } from './help/dialog.tsx'
import { EventsPage } from './events/page.tsx'
import { InboxPage } from './inbox/page.tsx'
import { useConnection, useLive } from './live/use-live.ts'
import { NotFoundPage } from './not-found/page.tsx'
import { createLazy } from './parts/lazy.tsx'
import { statusQuery } from './queries.ts'
import { type Route, routeOf, useAddress } from './router.tsx'
import { RunPage } from './run/page.tsx'
import { RunsPage } from './runs/page.tsx'
import { ConnectionBar } from './shell/connection-bar.tsx'
import { useNewRunKey } from './shell/new-run-key.ts'
import { Palette } from './shell/palette.tsx'
import { Rail } from './shell/rail.tsx'
import { SignInPage } from './sign-in/page.tsx'
import { Stops } from './stops/stops.tsx'

export function App() {
  const live = useLive()
  const connection = useConnection()
  const { path } = useAddress()
  const route = routeOf(path)
  const [searching, setSearching] = useState(false)
  const openPalette = useCallback(() => setSearching(true), [])
  const [helping, setHelping] = useState(false)
  const openHelp = useCallback(() => setHelping(true), [])
  const status = useQuery(statusQuery)
  const rejected = isSignedOut(status.error)
  useEffect(() => {
    if (rejected) live.signedOut()
  }, [rejected, live])
  useFocusOnArrival(subjectOf(route))
  useNewRunKey()

  if (connection.state === 'signed_out') return <SignInPage />
  return (
    <div className="shell">
      <a className="skip" href="#content" onClick={skipToContent}>
        Skip to content
      </a>
      <Rail route={route} onSearch={openPalette} />
      <div className="stage">
        <ConnectionBar />
        <Stops />
        <Content className={classOf(route)}>
          <Page route={route} />
        </Content>
      </div>
      <Help open={helping} onOpen={openHelp} onClose={() => setHelping(false)} />
      <Palette open={searching} onOpen={openPalette} onClose={() => setSearching(false)} />
    </div>
  )
}

/** Busy until every query of the page has its first response; a refetch changes the page in place. */
function Content({ className, children }: { className: string; children: ReactNode }) {
  const awaited = useIsFetching({ predicate: (query) => query.state.status === 'pending' })
  return (
    <main id="content" className={className} tabIndex={-1} aria-busy={awaited > 0}>
      {children}
    </main>
  )
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case 'inbox':
      return <InboxPage />
    case 'new':
      return <ComposerPage />
    case 'runs':
      return <RunsPage />
    case 'run':
      return <RunPage key={route.runId} runId={route.runId} briefId={route.briefId} />
    case 'proof':
      return <ProofSheetPage key={route.runId} runId={route.runId} />
    case 'pull-requests':
      return <PullRequestsPage />
    case 'workspaces':
    case 'workspace':
      return <WorkspacePages route={route} />
    case 'artifact':
      return <ArtifactPage key={route.artifactId} artifactId={route.artifactId} />
    case 'prompt':
      return <PromptPage key={route.attemptId} runId={route.runId} attemptId={route.attemptId} />
    case 'events':
      return <EventsPage />
    case 'settings':
      return <SettingsPage />
    case 'help':
      return <HelpPage />
    case 'organisations':
    case 'org':
    case 'seat':
    case 'personas':
    case 'persona':
      return <OrganisationPages route={route} />
    case 'missing':
      return <NotFoundPage path={route.path} />
  }
}

const SettingsPage = createLazy(
  { name: 'Settings', heading: true },
  async () => (await import('./settings/page.tsx')).SettingsPage,
)

const PullRequestsPage = createLazy(
  { name: 'Pull requests', heading: true },
  async () => (await import('./pull-requests/page.tsx')).PullRequestsPage,
)

const HelpPage = createLazy({ name: 'Help', heading: true }, async () => (await import('./help/page.tsx')).HelpPage)
const ComposerPage = createLazy(
  { name: 'New run', heading: true },
  async () => (await import('./composer/page.tsx')).ComposerPage,
)

const OrganisationPages = createLazy(
  { name: 'Organisation', heading: true },
  async () => (await import('./organisation-pages.tsx')).OrganisationPages,
)

const PromptPage = createLazy(
  { name: 'Prompt', heading: true },
  async () => (await import('./prompts/page.tsx')).PromptPage,
)

const ArtifactPage = createLazy(
  { name: 'File', heading: true },
  async () => (await import('./artifacts/page.tsx')).ArtifactPage,
)

const WorkspacePages = createLazy(
  { name: 'Workspaces', heading: true },
  async () => (await import('./workspace-pages.tsx')).WorkspacePages,
)

const ProofSheetPage = createLazy(
  { name: 'Proof sheet', heading: true },
  async () => (await import('./result/sheet-page.tsx')).ProofSheetPage,
)

/**
 * Identifies the object of a page. Moving between the briefs of one run does not change it, so focus stays in the tree.
 */
function subjectOf(route: Route): string {
  switch (route.page) {
    case 'run':
      return route.runId
    case 'proof':
      return `proof ${route.runId}`
    case 'artifact':
      return 'artifact'
    case 'workspace':
      return `workspace ${route.missionId}`
    case 'org':
      return `${route.org} ${route.section}`
    case 'seat':
      return `seat ${route.positionId}`
    case 'persona':
      return `persona ${route.persona}`
    default:
      return route.page
  }
}

/** Class names by which the style sheet lets some pages fill the window. */
const classOf = (route: Route): string =>
  route.page === 'org' ? `page page-org page-org-${route.section}` : `page page-${route.page}`

/**
 * Focuses the heading of a new page, so that screen readers announce it; not at the first load, when they read the page
 * anyway.
 */
function useFocusOnArrival(subject: string): void {
  const [first] = useState(subject)
  const [arrived, setArrived] = useState(false)
  useEffect(() => {
    if (subject === first && !arrived) return
    setArrived(true)
    document.querySelector<HTMLElement>('main h1')?.focus()
  }, [subject, first, arrived])
}

/** Moves focus without changing the hash: in the address of a run it names a line of the log. */
function skipToContent(event: MouseEvent): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}
