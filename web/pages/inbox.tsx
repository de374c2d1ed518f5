import { useInfiniteQuery, useQuery } from '@tanstack/react-query'

import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import type { Proposal } from '../../src/org/proposals/contract.ts'
import type { Brief } from '../../src/work/briefs/contract.ts'
import type { RunLine } from '../../src/work/runs/contract.ts'
import { openProposalsQuery } from '../org/queries.ts'
import { Heading } from '../parts/heading.tsx'
import { RunTable } from '../parts/run-table.tsx'
import { briefState, runState, Stated } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { Empty, Failure, Simulated, Skeleton } from '../parts/views.tsx'
import { useWaiting } from '../parts/waiting.ts'
import { runsQuery, waitingQuery } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { counted } from '../text.ts'

/**
 * What waits for the operator: blocked briefs first, because they hold a run up; then what somebody proposes; then runs
 * that failed.
 */
export function InboxPage() {
  const waiting = useQuery(waitingQuery)
  const proposals = useQuery(openProposalsQuery)
  const count = useWaiting()
  const missing = [waiting, proposals].find((each) => each.isError && each.data === undefined)
  const retry = (): void => void Promise.all([waiting.refetch(), proposals.refetch()])
  const areThere = waiting.data !== undefined && proposals.data !== undefined
  return (
    <>
      <Heading title={count > 0 ? `(${count}) Inbox` : 'Inbox'}>Inbox</Heading>
      {!areThere && missing === undefined && <Skeleton lines={4} label="the inbox" />}
      {missing !== undefined && <Failure error={missing.error} retry={retry} what="The inbox" />}
      {areThere && count === 0 && (
        <Empty title="Nothing waits for you">
          Briefs that are blocked, proposals to change an organisation and runs that failed appear here.
        </Empty>
      )}
      {areThere && count > 0 && (
        <>
          <ul className="plain cards">
            {waiting.data.blocked.map(({ brief, run }) => (
              <BlockedBrief key={brief.id} brief={brief} run={run} />
            ))}
            {proposals.data.map(({ proposal, organisation }) => (
              <OpenProposal key={proposal.proposalId} proposal={proposal} organisation={organisation} />
            ))}
            {waiting.data.failed.map(({ run, briefs }) => (
              <FailedRun key={run.id} run={run} briefs={briefs} />
            ))}
          </ul>
          {waiting.data.failedTotal > waiting.data.failed.length && (
            <p>
              <Link to={`${addresses.runs}?status=failed`}>All {counted(waiting.data.failedTotal, 'failed run')}</Link>
            </p>
          )}
        </>
      )}
      <GoingOn />
    </>
  )
}

/** The next question after what waits: what is going on. */
function GoingOn() {
  const latest = useInfiniteQuery(runsQuery())
  const runs = latest.data?.pages[0]?.runs ?? []
  const open = runs.filter((run) => run.endedAt === null)
  if (runs.length === 0) return null
  return (
    <section className="part" aria-label="What is going on">
      <h2>{open.length > 0 ? 'Under way' : 'Latest runs'}</h2>
      <RunTable runs={(open.length > 0 ? open : runs).slice(0, 5)} />
      <p>
        <Link to={addresses.runs}>All runs</Link>
      </p>
    </section>
  )
}

function BlockedBrief({ brief, run }: { brief: Brief; run: RunLine | undefined }) {
  return (
    <li className="card">
      <p className="facts">
        <Stated state={{ ...briefState(brief), says: 'blocked' }} />
        {run?.simulated && <Simulated />}
        <span className="muted">
          <Ago at={brief.updatedAt} />
        </span>
      </p>
      <h2>
        <Link to={addresses.brief(brief.runId, brief.id)}>{brief.title}</Link>
      </h2>
      <p>{brief.failure ?? 'The agent says it cannot go on.'}</p>
      <p className="muted">
        In <Link to={addresses.run(brief.runId)}>{run?.goalAnchor ?? brief.runId}</Link>, after{' '}
        {counted(brief.attempts, 'attempt')}
      </p>
    </li>
  )
}

/** Decided where its changes are shown. */
function OpenProposal({ proposal, organisation }: { proposal: Proposal; organisation: OrganisationView }) {
  const changes = proposal.changes.filter((change) => change.action !== 'unchanged').length
  return (
    <li className="card">
      <p className="facts">
        <Stated state={{ tone: 'waiting', says: 'proposed' }} />
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

/** The reason is the brief's; a run only counts them. */
function FailedRun({ run, briefs }: { run: RunLine; briefs: Brief[] }) {
  return (
    <li className="card">
      <p className="facts">
        <Stated state={runState(run.status)} />
        {run.simulated && <Simulated />}
        <span className="muted">
          <Ago at={run.endedAt ?? run.updatedAt} />
        </span>
      </p>
      <h2>
        <Link to={addresses.run(run.id)}>{run.goalAnchor}</Link>
      </h2>
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
