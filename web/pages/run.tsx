import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { useRunLog } from '../live/use-log.ts'
import { BriefDetail } from '../parts/brief-detail.tsx'
import { CancelRun } from '../parts/cancel-run.tsx'
import { Heading } from '../parts/heading.tsx'
import { LineDetail } from '../parts/line-detail.tsx'
import { LogView } from '../parts/log-view.tsx'
import { runState, Stated } from '../parts/state.tsx'
import { Ago, Lasting } from '../parts/time.tsx'
import { RunTree } from '../parts/tree.tsx'
import { Failure, Simulated, Skeleton } from '../parts/views.tsx'
import { type Inspection, runQuery } from '../queries.ts'
import { addresses, Link, navigate, usePlace } from '../router.tsx'
import { figure } from '../text.ts'

export function RunPage({ runId, briefId }: { runId: string; briefId: string | null }) {
  const inspection = useQuery(runQuery(runId))
  const id = inspection.data?.run.id
  useEffect(() => {
    // The beginning of an id finds the run too; its address is the whole id, which is also what events name.
    if (id !== undefined && id !== runId) navigate(addresses.run(id) + location.hash, { replace: true })
  }, [id, runId])
  if (inspection.data) return <Run inspection={inspection.data} briefId={briefId} />
  return (
    <>
      <Heading title="Run" />
      {inspection.isPending && <Skeleton lines={10} label="the run" />}
      {inspection.isError && (
        <Failure error={inspection.error} retry={() => void inspection.refetch()} what={`Run ${runId}`} />
      )}
    </>
  )
}

function Run({ inspection, briefId }: { inspection: Inspection; briefId: string | null }) {
  const { run, briefs } = inspection
  // A run of one brief shows it at once: there is nothing to choose.
  const brief =
    briefs.find((each) => each.id === briefId) ?? (briefId === null && briefs.length === 1 ? briefs[0] : undefined)
  const { path, hash } = usePlace()
  return (
    <>
      <RunHeader inspection={inspection} />
      <div className="run-grid">
        <RunTree inspection={inspection} current={briefId === null ? run.id : (brief?.id ?? null)} />
        <div className="run-side">
          <RunLog runId={run.id} path={path} hash={hash} />
          {(brief !== undefined || briefId !== null) && (
            <div className="detail" tabIndex={0} role="region" aria-label="The chosen brief">
              {brief === undefined ? (
                <p>
                  This run has no brief <code>{briefId}</code>.{' '}
                  <Link to={addresses.run(run.id)}>Show the whole run</Link>.
                </p>
              ) : (
                <BriefDetail inspection={inspection} brief={brief} hash={hash} />
              )}
            </div>
          )}
        </div>
      </div>
    </>
  )
}

function RunHeader({ inspection }: { inspection: Inspection }) {
  const { run, attempts } = inspection
  const boxed = attempts.length === 0 ? null : attempts.every((attempt) => attempt.boxed) ? 'boxed' : 'not boxed'
  return (
    <header className="run-header">
      <div className="grow">
        <Heading title={run.goalAnchor} />
        <p className="facts">
          <Stated state={runState(run.status)} />
          {run.simulated && <Simulated />}
          {boxed !== null && (
            <span
              className="label"
              title={boxed === 'boxed' ? 'Agents ran in a sandbox' : 'Agents ran without a sandbox'}
            >
              {boxed}
            </span>
          )}
          <span className="figure">
            <Lasting from={run.startedAt} to={run.endedAt} />
          </span>
          <span className="figure">
            {figure(run.inputTokens)} in, {figure(run.outputTokens)} out tokens
            {run.simulated && <span className="muted"> (simulated)</span>}
          </span>
          <span className="muted">
            started <Ago at={run.startedAt} />
          </span>
          <code className="muted">{run.id}</code>
        </p>
        {run.summary !== null && <p className="summary">{run.summary}</p>}
      </div>
      {run.endedAt === null && <CancelRun run={run} />}
    </header>
  )
}

/** A number behind `#` is a line of the log; an id is something of the brief. */
function RunLog({ runId, path, hash }: { runId: string; path: string; hash: string }) {
  const { log, state } = useRunLog(runId)
  const target = /^\d+$/.test(hash) ? Number(hash) : null
  const point = (seq: number | null): void => navigate(seq === null ? path : `${path}#${seq}`, { replace: true })
  return (
    <div className="log-pane">
      {state.phase === 'loading' && state.lines.length === 0 ? (
        <Skeleton lines={6} label="the log" />
      ) : state.phase === 'failed' ? (
        <Failure error={state.error} retry={() => void log.catchUp()} what="The log" />
      ) : (
        <LogView
          log={log}
          state={state}
          label="Log of the run"
          place="seq"
          target={target}
          onTarget={point}
          emptyText="Nothing happened yet."
        />
      )}
      {target !== null && <LineDetail at={{ runId, seq: target }} onClose={() => point(null)} />}
    </div>
  )
}
