import { useQuery } from '@tanstack/react-query'

import { type PullRequest, type PullRequestLine, PullRequestStatus } from '../../src/work/pull-requests/contract.ts'
import { Columns } from '../parts/columns.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Failure, Skeleton } from '../parts/notices.tsx'
import { StateLabel } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { addresses, Link, useAddress } from '../router.tsx'
import { Counts } from '../diff/counts.tsx'
import { Simulated } from '../runs/simulated.tsx'
import { counted, nameOfRepository } from '../text.ts'
import { pullRequestsQuery, sizeQuery } from './queries.ts'
import { pullRequestState } from './state.ts'

/** Lists the pull requests of runs, with their states. */
export function PullRequestsPage() {
  const { query } = useAddress()
  const chosen = PullRequestStatus.options.find((status) => status === query.get('status'))
  const found = useQuery(pullRequestsQuery(chosen))
  return (
    <>
      <Heading title="Pull requests" />
      <nav className="filters" aria-label="Pull requests by status">
        <Link to={addresses.pullRequests} aria-current={chosen === undefined ? 'true' : undefined}>
          all
        </Link>
        {PullRequestStatus.options.map((status) => (
          <Link
            key={status}
            to={`${addresses.pullRequests}?status=${status}`}
            aria-current={status === chosen ? 'true' : undefined}
          >
            <StateLabel state={pullRequestState({ status })} />
          </Link>
        ))}
      </nav>
      {found.isPending && <Skeleton lines={6} label="the pull requests" />}
      {found.isError && found.data === undefined && (
        <Failure error={found.error} retry={() => void found.refetch()} name="The pull requests" />
      )}
      {found.data?.length === 0 && <None chosen={chosen} />}
      {found.data !== undefined && found.data.length > 0 && <Table pullRequests={found.data} />}
    </>
  )
}

function None({ chosen }: { chosen: PullRequest['status'] | undefined }) {
  if (chosen !== undefined)
    return <Empty title={`No pull request is ${chosen}`}>Select “all” to see other pull requests.</Empty>
  return (
    <Empty title="No pull requests yet" command={'agency run "Add a --json flag" --repo .'}>
      A run with a repository works in clones of it. When its evidence passes, it opens a pull request, which appears
      here to be read and merged:
    </Empty>
  )
}

function Table({ pullRequests }: { pullRequests: readonly PullRequestLine[] }) {
  return (
    <table className="runs">
      <Columns of={{ Status: '', Title: '', Repository: '', Size: 'figure wide', Updated: 'figure' }} />
      <tbody>
        {pullRequests.map((each, index) => (
          <tr key={each.id} data-pull-request={each.id}>
            <td className="status">
              <StateLabel state={pullRequestState(each)} />
            </td>
            <td className="goal">
              <Link to={addresses.changes(each.runId)}>{each.title}</Link>
              {each.simulated && <Simulated />}
              <code className="muted wide">{each.source}</code>
            </td>
            <td className="branches">
              <code title={each.repository}>{nameOfRepository(each.repository)}</code>{' '}
              <span className="muted">
                into <code>{each.target}</code>
              </span>
            </td>
            <td className="figure wide">{index < maxSizes && <Size of={each} />}</td>
            <td className="figure age">
              <Ago at={each.updatedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Each size is a question to git, so only those of the newest ones are asked. */
const maxSizes = 50

function Size({ of: pullRequest }: { of: PullRequestLine }) {
  const size = useQuery(sizeQuery(pullRequest)).data
  if (size === undefined) return null
  return (
    <>
      {counted(size.files, 'file')} <Counts added={size.added} removed={size.removed} />
    </>
  )
}
