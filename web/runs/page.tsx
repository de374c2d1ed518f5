import { useInfiniteQuery, useQuery } from '@tanstack/react-query'

import { type RunState, runStates, runStateText } from '../../src/kernel/run-state.ts'
import { organisationsQuery } from '../org/queries.ts'
import { useSelectedOrganisation } from '../org/selection.ts'
import { Heading } from '../parts/heading.tsx'
import { Empty, Failure, Skeleton } from '../parts/notices.tsx'
import { StateLabel } from '../parts/state.tsx'
import { runsQuery } from '../queries.ts'
import { addresses, Link, useAddress } from '../router.tsx'
import { figure } from '../text.ts'
import { runState } from './state.ts'
import { NewRunLink } from './new-run-link.tsx'
import { RunTable } from './table.tsx'

export function RunsPage() {
  const { query } = useAddress()
  const chosen = runStates.find((state) => state === query.get('status'))
  const known = useQuery(organisationsQuery())
  const organisations = known.data ?? []
  const org = useSelectedOrganisation({ page: 'runs' }, query, organisations)
  const organisation = organisations.length > 1 ? organisations.find((each) => each.slug === org) : undefined
  // The organisation is resolved first: otherwise the runs of others would flash.
  const pages = useInfiniteQuery({ ...runsQuery(chosen, organisation?.organisationId), enabled: !known.isPending })
  const counts = pages.data?.pages[0]?.counts ?? {}
  const runs = pages.data?.pages.flatMap((page) => page.runs) ?? []
  return (
    <>
      <header className="head">
        <Heading title="Runs" />
        <span className="facts">
          <Link to={addresses.pullRequests}>Pull requests</Link>
          <NewRunLink />
        </span>
      </header>
      <StatusFilter counts={counts} chosen={chosen} />
      {pages.isPending && <Skeleton lines={8} label="the runs" />}
      {pages.isError && !pages.data && (
        <Failure error={pages.error} retry={() => void pages.refetch()} name="The runs" />
      )}
      {pages.data && runs.length === 0 && <NoRuns chosen={chosen} organisation={organisation?.name} />}
      {runs.length > 0 && <RunTable runs={runs} />}
      {pages.hasNextPage && (
        <button type="button" disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          Show older runs
        </button>
      )}
    </>
  )
}

function StatusFilter({ counts, chosen }: { counts: Record<string, number>; chosen: RunState | undefined }) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const statuses = runStates.filter((status) => (counts[status] ?? 0) > 0 || status === chosen)
  const { query } = useAddress()
  if (all === 0 && chosen === undefined) return null
  const address = (status: RunState | ''): string => {
    const kept = new URLSearchParams(query)
    if (status === '') kept.delete('status')
    else kept.set('status', status)
    return kept.size === 0 ? addresses.runs : `${addresses.runs}?${kept}`
  }
  return (
    <nav className="filters" aria-label="Runs by state">
      <Link to={address('')} aria-current={chosen === undefined ? 'true' : undefined}>
        all <span className="figure">{figure(all)}</span>
      </Link>
      {statuses.map((status) => (
        <Link key={status} to={address(status)} aria-current={status === chosen ? 'true' : undefined}>
          <StateLabel state={runState(status)} /> <span className="figure">{figure(counts[status] ?? 0)}</span>
        </Link>
      ))}
    </nav>
  )
}

function NoRuns({ chosen, organisation }: { chosen: RunState | undefined; organisation: string | undefined }) {
  if (organisation !== undefined && chosen === undefined)
    return <Empty title={`${organisation} has no runs yet`}>Select “All organisations” to see other runs.</Empty>
  if (chosen !== undefined)
    return <Empty title={`No runs: ${runStateText(chosen)}`}>Select “all” to see other runs.</Empty>
  return (
    <Empty
      title="No runs yet"
      action={<NewRunLink />}
      command={'agency run "Write a haiku about rivers into poem.txt" --playbook direct --runtime scripted'}
    >
      A run works towards one goal, brief by brief, and checks the evidence of each. Start one here, or from a terminal.
      This example is simulated and needs no key:
    </Empty>
  )
}
