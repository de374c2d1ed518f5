import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { endedStates } from '../../src/kernel/run-state.ts'
import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import type { Proposal } from '../../src/org/proposals/contract.ts'
import type { Brief } from '../../src/work/briefs/contract.ts'
import type { GateView } from '../../src/work/gates/contract.ts'
import type { QuestionView } from '../../src/work/questions/contract.ts'
import { type RunLine, runOperations } from '../../src/work/runs/contract.ts'
import { RetryRun } from '../again/again.tsx'
import { NoBoxBanner } from '../box/banner.tsx'
import { Yours } from '../demos/yours.tsx'
import { DecisionCards } from '../decisions/cards.tsx'
import { pendingDecisions } from '../decisions/items.ts'
import { moreDecisions, usePendingCount } from '../decisions/use-count.ts'
import { openProposalsQuery } from '../org/queries.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Failure, Skeleton } from '../parts/notices.tsx'
import { StateLabel } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { failedQuery, keys, pendingDecisionsQuery, runsQuery } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { NewRunLink } from '../runs/new-run-link.tsx'
import { Simulated } from '../runs/simulated.tsx'
import { runState } from '../runs/state.ts'
import { RunTable } from '../runs/table.tsx'
import { StopEverything } from '../stops/stops.tsx'
import { counted, figure } from '../text.ts'
import { useOperation } from '../use-operation.ts'

/** Shows the decisions that wait for the operator, oldest first, then proposals, open runs and failed runs. */
export function InboxPage() {
  const decisions = useQuery(pendingDecisionsQuery)
  const proposals = useQuery(openProposalsQuery)
  const count = usePendingCount()
  const missing = [decisions, proposals].find((each) => each.isError && each.data === undefined)
  const retry = (): void => void Promise.all([decisions.refetch(), proposals.refetch()])
  const areThere = decisions.data !== undefined && proposals.data !== undefined
  return (
    <>
      <header className="head">
        <Heading title="Inbox" />
        <span className="facts">
          <StopEverything />
          <NewRunLink />
        </span>
      </header>
      <NoBoxBanner />
      {!areThere && missing === undefined && <Skeleton lines={4} label="the inbox" />}
      {missing !== undefined && <Failure error={missing.error} retry={retry} name="The inbox" />}
      {areThere && count === 0 && (
        <Empty title="No decisions are pending" action={<NewRunLink />}>
          Gates, questions of agents and proposals to change an organisation appear here. Decide them on this page.
        </Empty>
      )}
      {decisions.data !== undefined && (
        <Decisions
          gates={decisions.data.gates}
          questions={decisions.data.questions}
          more={moreDecisions(decisions.data)}
        />
      )}
      {areThere && proposals.data.length > 0 && (
        <ul className="plain cards">
          {proposals.data.map(({ proposal, organisation }) => (
            <OpenProposal key={proposal.proposalId} proposal={proposal} organisation={organisation} />
          ))}
        </ul>
      )}
      <FirstRun />
      <OpenRuns />
      <Failed />
    </>
  )
}

function Decisions({ gates, questions, more }: { gates: GateView[]; questions: QuestionView[]; more: number }) {
  return (
    <>
      <DecisionCards items={pendingDecisions(gates, questions)} />
      {more > 0 && <p className="muted">{counted(more, 'more decision')} will appear as these are decided.</p>}
    </>
  )
}

/** Shows the way to a real run as long as there were only demonstrations, and none is open. */
function FirstRun() {
  const { data, hasNextPage } = useInfiniteQuery(runsQuery())
  const runs = data?.pages[0]?.runs ?? []
  const isNewcomer = runs.length > 0 && !hasNextPage && runs.every((run) => run.simulated && run.endedAt !== null)
  return isNewcomer ? <Yours /> : null
}

const maxOpen = 5

/** Lists the open runs, or the latest runs if none is open. */
function OpenRuns() {
  const latest = useInfiniteQuery(runsQuery())
  const runs = latest.data?.pages[0]?.runs ?? []
  const open = runs.filter((run) => run.endedAt === null)
  const total = Object.entries(latest.data?.pages[0]?.counts ?? {})
    .filter(([state]) => !endedStates.some((ended) => ended === state))
    .reduce((sum, [, count]) => sum + count, 0)
  if (runs.length === 0) return null
  return (
    <section className="part" aria-label="Runs">
      <h2>
        {open.length > 0 ? 'Open runs' : 'Latest runs'}
        {total > maxOpen && (
          <span className="muted">
            {' '}
            {maxOpen} of {figure(total)} under way
          </span>
        )}
      </h2>
      <RunTable runs={(open.length > 0 ? open : runs).slice(0, maxOpen)} />
      <p>
        <Link to={addresses.runs}>Show all runs</Link>
      </p>
    </section>
  )
}

/** Links to the page that shows the changes of the proposal, where it is decided. */
function OpenProposal({ proposal, organisation }: { proposal: Proposal; organisation: OrganisationView }) {
  const changes = proposal.changes.filter((change) => change.action !== 'unchanged').length
  return (
    <li className="card">
      <p className="facts">
        <StateLabel state={{ tone: 'waiting', text: 'proposed' }} />
        <span className="muted">
          by {proposal.proposedBy}, <Ago at={proposal.createdAt} />
        </span>
      </p>
      <h2>
        <Link to={addresses.org(organisation.slug, 'proposals')}>
          {counted(changes, 'change')} to {organisation.name}
        </Link>
      </h2>
      <p>{proposal.reason}</p>
    </li>
  )
}

const maxFailed = 5

function Failed() {
  const [most, setMost] = useState(maxFailed)
  const failed = useQuery(failedQuery).data
  if (failed === undefined || failed.runs.length === 0) return null
  const more = failed.runs.length - most
  return (
    <section className="part" aria-label="Failed runs">
      <h2>Failed runs</h2>
      <ul className="plain cards">
        {failed.runs.slice(0, most).map(({ run, briefs }) => (
          <FailedRun key={run.id} run={run} briefs={briefs} />
        ))}
      </ul>
      {more > 0 && (
        <button type="button" className="more" onClick={() => setMost(failed.runs.length)}>
          Show {failed.mayBeMore ? `at least ${more}` : more} more
        </button>
      )}
      <p>
        <Link to={`${addresses.runs}?status=failed`}>Show all failed runs, dismissed ones too</Link>
      </p>
    </section>
  )
}

/** Shows the reasons of the failed briefs: the run itself only counts them. */
function FailedRun({ run, briefs }: { run: RunLine; briefs: Brief[] }) {
  const queries = useQueryClient()
  const dismiss = useOperation(runOperations.dismiss, () => queries.invalidateQueries({ queryKey: keys.waiting }))
  return (
    <li className="card">
      <p className="facts">
        <StateLabel state={runState(run.state)} />
        {run.simulated && <Simulated />}
        <span className="muted">
          <Ago at={run.endedAt ?? run.updatedAt} />
        </span>
        <span className="grow" />
        <RetryRun run={run} label="Retry failed briefs" />
        <button type="button" disabled={dismiss.isPending} onClick={() => dismiss.perform({ runId: run.id })}>
          Dismiss<span className="unseen"> {run.goalAnchor}</span>
        </button>
      </p>
      {dismiss.error !== null && <ErrorLine error={dismiss.error} />}
      <h3>
        <Link to={addresses.run(run.id)}>{run.goalAnchor}</Link>
      </h3>
      {briefs.map((brief) => (
        <p key={brief.id}>
          <Link to={addresses.brief(run.id, brief.id)}>{brief.title === run.goalAnchor ? brief.key : brief.title}</Link>
          : {brief.failure ?? 'failed'}
        </p>
      ))}
      {briefs.length === 0 && <p>{run.summary}</p>}
    </li>
  )
}
