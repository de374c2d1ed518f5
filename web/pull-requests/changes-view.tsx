import { useQuery } from '@tanstack/react-query'

import type { PullRequestView } from '../../src/work/pull-requests/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { ApiError } from '../../src/operations/problem.ts'
import { DiffView } from '../diff/view.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { RichText } from '../parts/rich-text.tsx'
import { StateLabel } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { addresses, Link } from '../router.tsx'
import { CheckWarnings } from '../box/check-place.tsx'
import { CheckCount, CheckList } from './checks.tsx'
import { Commit } from './commit.tsx'
import { fileOfRun, pullRequestQuery, runDiffQuery } from './queries.ts'
import { pullRequestState } from './state.ts'

/** Shows the pull request of a run, once there is one, and the diff of everything merged so far. */
export function ChangesView({ run }: { run: Run }) {
  const found = useQuery(pullRequestQuery(run.id))
  const diff = useQuery(runDiffQuery(run))
  const missing = found.error instanceof ApiError && found.error.status === 404
  const head =
    found.data !== undefined ? (
      <PullRequestHead pullRequest={found.data} />
    ) : missing ? (
      <p className="muted pr-head">
        No pull request yet: it opens when every brief is verified and the merged result is proven. The diff below shows
        the run’s own branch so far.
      </p>
    ) : null
  return (
    <div className="changes">
      {(found.isPending || diff.isPending) && <Skeleton lines={8} label="the changes" />}
      {found.isError && !missing && found.data === undefined && (
        <Failure error={found.error} retry={() => void found.refetch()} name="The pull request" />
      )}
      {diff.isError && diff.data === undefined && (
        <>
          {head}
          <Failure error={diff.error} retry={() => void diff.refetch()} name="The diff" />
        </>
      )}
      {!found.isPending && diff.data !== undefined && (
        <DiffView
          key={diff.data.to}
          diff={diff.data}
          label="Changes of the run"
          before={head}
          load={(path) => fileOfRun(run.id, path)}
        />
      )}
    </div>
  )
}

function PullRequestHead({ pullRequest }: { pullRequest: PullRequestView }) {
  const { checks, warnings, body, title, proof } = pullRequest
  return (
    <header className="pr-head">
      <h2>{title}</h2>
      <p className="facts">
        <StateLabel state={pullRequestState(pullRequest)} />
        <span className="branches">
          <code>{pullRequest.source}</code> <span className="muted">into</span> <code>{pullRequest.target}</code>
        </span>
        <span className="muted">
          <Commit id={pullRequest.baseCommit} /> → <Commit id={pullRequest.headCommit} />
        </span>
        <CheckCount checks={checks} />
        <span className="muted">
          {pullRequest.endedAt === null ? 'opened' : pullRequest.status}{' '}
          <Ago at={pullRequest.endedAt ?? pullRequest.openedAt} />
        </span>
        <code className="muted">{pullRequest.id}</code>
        {pullRequest.revertedBy !== null && (
          <Link to={addresses.run(pullRequest.revertedBy)}>{pullRequest.revertedBy} takes it back</Link>
        )}
      </p>
      <CheckWarnings warnings={warnings} />
      {proof !== null && proof.detail !== null && (
        <p
          className={proof.status === 'passed' ? 'muted' : ''}
        >{`${proof.status === 'passed' ? '✓' : '✗'} ${proof.detail}`}</p>
      )}
      {body.trim() !== '' && (
        <details open={body.length < 600}>
          <summary>
            <h3>Description</h3>
          </summary>
          <RichText text={body} />
        </details>
      )}
      {checks.length > 0 && (
        <details open={checks.some((check) => !check.passed)}>
          <summary>
            <h3>Checks</h3>
          </summary>
          <CheckList checks={checks} runId={pullRequest.runId} />
        </details>
      )}
    </header>
  )
}
